import { openDb } from '../../../worker/db/open'
import type { Source, VulnRecord } from '../../../worker/domain/words/record'
import { saveRecords } from '../../../worker/merge/save-records'
import type { World } from './world'

const now = new Date('2026-11-20T10:00:00Z')

/** Stores what a source says of a vulnerability, as a first load does. */
export const sayIn = (world: World, source: Source, record: Omit<VulnRecord, 'state'>) =>
  saveRecords(openDb(world.env), { source, records: [{ state: 'published', ...record }], is_backfill: true, now })
