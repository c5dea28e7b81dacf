import type { Db } from '../db/open'
import type { Writes } from './writes'

/** Fails the batch when another merge, or a change of the versions that somebody runs, came after our reading: NULL breaks NOT NULL. */
export function guardVersion(db: Db, kb_version: number, { rejudged }: Writes) {
  const guard = rejudged?.guard
  const isUnchanged = guard
    ? `AND (SELECT count(*) FROM jsonb_each(?2) j CROSS JOIN judged_versions r WHERE r.kind = j.value->>0 AND r.item_id = j.value->>1) = ?3`
    : ''
  return db.$client
    .prepare(
      `UPDATE counters SET value = CASE WHEN value = ?1 ${isUnchanged} THEN value + 1 END WHERE name = 'kb_version'`,
    )
    .bind(kb_version, ...(guard ? [guard.items, guard.versions] : []))
}
