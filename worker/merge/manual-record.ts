import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { VulnRecord } from '../domain/words/record'
import { saveRecords } from './save-records'
import type { Alongside } from './save-records'

/** `hasNews` asks for a message to the alerts queue. Throws Superseded when the record that it `replaces` (by `modified`) is gone. */
export const saveManual = (db: Db, record: VulnRecord, { now, replaces, alongside }: Saving) =>
  saveRecords(
    db,
    { source: 'manual', records: [{ ...record, modified: stamp(now) }], replaces, is_backfill: false, now },
    alongside,
  )

type Saving = { now: Date; replaces: string | null; alongside?: Alongside }
