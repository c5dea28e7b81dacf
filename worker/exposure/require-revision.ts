import { sql } from 'drizzle-orm'
import { errorText } from '../db/error-text'
import type { Db } from '../db/open'
import { statement } from '../db/statement'

/** With `changes` its findings and decisions, too, are those that were read. */
type Known = { org_id: number; id: number; revision: number; changes?: number }

/** Fails its batch when the inventory changed since it was read: NULL breaks NOT NULL, and an unchanged one inserts nothing. */
export const requireRevision = (db: Db, { org_id, id, revision, changes }: Known) =>
  statement(
    db,
    sql`INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes)
      SELECT ${org_id}, CASE WHEN EXISTS (
          SELECT 1 FROM inventories WHERE org_id = ${org_id} AND id = ${id} AND revision = ${revision}
            AND changes = coalesce(${changes ?? null}, changes)) THEN ${id} END,
        '', '', 0, 0, '', '', 0, 0 WHERE TRUE ON CONFLICT DO NOTHING`,
  )

/** Somebody else wrote it, too, between our reading and our writing. */
export const isOvertaken = (error: unknown) => /inventories\.(?:revision|id|org_id)/.test(errorText(error))
