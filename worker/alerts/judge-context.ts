import { sql } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import type { JudgedVuln } from '../domain/alert-judge'
import { verdictAtRank } from '../domain/verdict'
import { isInGroup } from '../watchlist/monitored'

type Place = { org_id: number; vuln_id: number; labels: string[] }
type Context = Pick<JudgedVuln, 'groups' | 'verdict'>

/** Which of the labels a vulnerability concerns, and the worst of what runs, by organization and vulnerability. */
export async function findContext(db: Db, places: Place[]) {
  const found = new Map<string, Context>()
  for (const json of jsonChunks(places.map(({ org_id, vuln_id, labels }) => [org_id, vuln_id, labels])))
    for (const { org_id, vuln_id, groups, verdict } of await db.all<Row>(selectContext(json)))
      found.set(placeKey(org_id, vuln_id), { groups: JSON.parse(groups) as string[], verdict: verdictAtRank(verdict) })
  return found
}

export const placeKey = (org_id: number, vuln_id: number) => `${org_id} ${vuln_id}`

type Row = { org_id: number; vuln_id: number; groups: string; verdict: number | null }

const selectContext = (json: string) => sql`
  SELECT p.org_id, p.vuln_id,
    (SELECT json_group_array(l.value) FROM json_each(p.labels) l WHERE ${isInGroup(sql`p.org_id`, sql`l.value`, sql`p.vuln_id`)}) AS groups,
    (SELECT max(r.verdict) FROM (SELECT o.verdict FROM org_vulns o WHERE o.org_id = p.org_id AND o.vuln_id = p.vuln_id
      UNION ALL SELECT y.verdict FROM inventory_vulns y WHERE y.vuln_id = p.vuln_id AND y.org_id = p.org_id) r) AS verdict
  FROM (SELECT value ->> 0 AS org_id, value ->> 1 AS vuln_id, value ->> 2 AS labels FROM json_each(${json})) p`
