import { sql } from 'drizzle-orm'
import { abort } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { Writes } from './writes'

/** Undoes the batch when another merge, or a change of the versions that somebody runs, came after our reading. */
export function guardVersion(db: Db, kb_version: number, { rejudged }: Writes) {
  const guard = rejudged?.guard
  const isUnchanged = guard
    ? sql`AND (SELECT count(*) FROM jsonb_each(${guard.items}) j CROSS JOIN judged_versions r
        WHERE r.kind = j.value->>0 AND r.item_id = j.value->>1) = ${guard.versions}`
    : sql``
  return statement(
    db,
    sql`UPDATE counters SET value = CASE WHEN value = ${kb_version} ${isUnchanged} THEN value + 1 ELSE ${abort('knowledge base')} END
      WHERE name = 'kb_version'`,
  )
}
