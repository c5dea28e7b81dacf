import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { counters } from '../schema/counters'

/** Every merge counts it on. */
export const kbVersionQuery = (db: Db) =>
  db.select({ value: counters.value }).from(counters).where(eq(counters.name, 'kb_version'))

/** Fails its batch when somebody merged after our reading: NULL breaks NOT NULL. */
export const requireKbVersion = (db: Db, kb_version: number) =>
  statement(
    db,
    db
      .update(counters)
      .set({ value: sql`CASE WHEN value = ${kb_version} THEN value END` })
      .where(eq(counters.name, 'kb_version')),
  )
