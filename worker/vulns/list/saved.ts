import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { vulns } from '../../schema/vulns'
import { VulnQuery } from '../contract'
import { readRequest } from './request'
import type { Asker } from './request'
import { toConditions } from './where'

/** Of a saved view; null where it asks for what is no filter any more. */
export function readSavedQuery(query: string, limit = 1) {
  const given = Object.fromEntries(new URLSearchParams(query))
  const whole = { ...given, sorted_by: '-updated_at', page: 1, limit, count: 'quick', after: undefined }
  return VulnQuery.safeParse(whole).data ?? null
}

/** Which of these vulnerabilities a saved view shows. */
export async function findShown(db: Db, asker: Asker, query: VulnQuery, ids: number[]) {
  const request = await readRequest(db, asker, query, 'list')
  if (!request) return new Set<number>()
  const rows = await db.all<{ id: number }>(sql`SELECT vulns.id FROM ${valuesTable(ids)} j CROSS JOIN ${vulns}
    WHERE vulns.id = j.item AND coalesce(vulns.org_id, ${asker.org_id}) = ${asker.org_id} AND ${toConditions(request)}`)
  return new Set(rows.map(({ id }) => id))
}
