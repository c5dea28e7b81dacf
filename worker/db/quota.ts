import { sql } from 'drizzle-orm'
import { errorText } from './error-text'
import type { SQL } from 'drizzle-orm'

/** Undoes the batch that it ends when more than `limit` were counted: NULL breaks NOT NULL. */
export const refuseBeyond = (count: SQL, limit: number) =>
  sql`INSERT INTO orgs(name, slug, created_at) SELECT NULL, '', '' WHERE (${count}) > ${limit}`

export const isBeyondQuota = (error: unknown) => errorText(error).includes('NOT NULL constraint failed: orgs.name')
