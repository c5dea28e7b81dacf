import { eq, sql } from 'drizzle-orm'
import { abortUnless } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { counters } from '../schema/counters'

/** Every merge counts it on. */
export const kbVersionQuery = (db: Db) =>
  db.select({ value: counters.value }).from(counters).where(eq(counters.name, 'kb_version'))

export const findKbVersion = async (db: Db) => (await kbVersionQuery(db))[0]?.value ?? 0

/** Undoes its batch when somebody merged after our reading. */
export const requireKbVersion = (db: Db, kb_version: number) =>
  statement(
    db,
    abortUnless(
      sql`EXISTS (SELECT 1 FROM counters WHERE name = 'kb_version' AND value = ${kb_version})`,
      'knowledge base',
    ),
  )
