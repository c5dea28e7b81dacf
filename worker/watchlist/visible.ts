import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { vulns } from '../schema/vulns'

/** Whether the organization may know of the vulnerability of the row (of `vulns`): all but what another one made for itself. */
export const isVisible = (org_id: number) => sql`(vulns.org_id IS NULL OR vulns.org_id = ${org_id})`

/** The vulnerability, if the organization may know of it; 404 otherwise. */
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
