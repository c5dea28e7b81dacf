import { readBulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { plusSeconds } from '../../db/time'
import { formatSourceKey } from '../../domain/words/record'
import type { Source } from '../../domain/words/record'
import type { ModifiedRecord } from './modified-list'

const lateSeconds = 14 * 86_400
/** Times are those of a record's own database: it may be listed days after them (google/osv.dev, pull request 5058). */
export const lateFrom = (through: string) => plusSeconds(new Date(through), -lateSeconds).toISOString()

/** Those that we lack, or have as they were before. */
export async function findUnread(db: Db, listed: ModifiedRecord[], findSource: (record: { ref: string }) => Source) {
  const keys = new Map(listed.map((one) => [formatSourceKey(findSource({ ref: one.id }), one.id), one]))
  const found = await readBulk<{ key: string }>(
    db,
    `SELECT j.value->>0 AS key FROM jsonb_each(?1) j WHERE NOT EXISTS (
       SELECT 1 FROM vuln_records r WHERE r.source = j.value->>0 AND r.source NOT IN ('cve', 'nvd') AND r.modified >= unixepoch(j.value->>1))`,
    [...keys].map(([key, { modified }]) => [key, modified]),
  )
  return found.flatMap(({ key }) => keys.get(key) ?? [])
}
