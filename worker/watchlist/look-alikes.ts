import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal } from '../db/values'
import { indexNames } from '../domain/names/look-alikes'

/** So many monitored packages are compared, the newest first. */
const maxCompared = 10_000

type Known = { id: number; type: string; name: string }

/** Asks of a package which of those that the organization monitors it looks like; a monitored package looks like none. */
export async function findLookAlikes(db: Db, org_id: number, type: string | null = null) {
  const known = await db.all<Known>(sql`
    SELECT p.id, p.type, p.name FROM monitored_packages m CROSS JOIN packages p ON p.id = m.package_id
    WHERE m.org_id = ${org_id}${type === null ? sql`` : sql` AND p.type = ${type}`} ORDER BY m.package_id DESC LIMIT ${literal(maxCompared)}`)
  return indexNames(known)
}
