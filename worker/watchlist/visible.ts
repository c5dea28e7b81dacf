import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { vulns } from '../schema/vulns'

/** Of the row of `vulns`: all but what another organization made for itself. */
export const isVisible = (org_id: number) => sql`(vulns.org_id IS NULL OR vulns.org_id = ${org_id})`

/** 404 unless the organization may know of it. */
export async function requireVuln(db: Db, org_id: number, id: number) {
  const [vuln] = await db
    .select({
      id: vulns.id,
      cveid: vulns.cveid,
      state: vulns.state,
      summary: vulns.summary,
      org_id: vulns.org_id,
    })
    .from(vulns)
    .where(and(eq(vulns.id, id), isVisible(org_id)))
  if (!vuln) throw notFound('Vulnerability')
  return vuln
}
