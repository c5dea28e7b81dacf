import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { VulnRecord } from '../domain/record'
import { saveRecords } from './save-records'
import type { Alongside } from './save-records'

/**
 * Writes the record that people made, beside those of the feeds, and merges anew; `hasNews` asks for a message to the
 * alerts queue. Superseded is thrown when the one it `replaces`, by its `modified` (null for none), is not there.
 */
export const saveManual = (db: Db, record: VulnRecord, { now, replaces, alongside }: Saving) =>
  saveRecords(
    db,
    { source: 'manual', records: [{ ...record, modified: stamp(now) }], replaces, is_backfill: false, now },
    alongside,
  )

type Saving = { now: Date; replaces: string | null; alongside?: Alongside }
