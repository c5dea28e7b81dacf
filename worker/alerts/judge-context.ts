import { and, eq, inArray, sql } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import type { AskedOf, JudgedVuln } from '../domain/alerts/alert-judge'
import { verdictAtRank } from '../domain/versions/verdict'
import { savedViews } from '../schema/views'
import { findShown, readSavedQuery } from '../vulns/list/find'
import { isInGroup } from '../watchlist/monitored'

type Place = AskedOf & { org_id: number; vuln_id: number }
type Context = Pick<JudgedVuln, 'groups' | 'inventories' | 'views' | 'verdict'>

/** Of what no channel asks more of. */
export const noContext: Context = { groups: [], inventories: [], views: [], verdict: null }

export const askedBy = (channels: AskedOf[]): AskedOf => ({
  groups: [...new Set(channels.flatMap(({ groups }) => groups))],
  inventories: [...new Set(channels.flatMap(({ inventories }) => inventories))],
  views: [...new Set(channels.flatMap(({ views }) => views))],
})

/** Those of them that a vulnerability concerns, and the worst running verdict, by organization and vulnerability. */
export async function findContext(db: Db, places: Place[], now: Date) {
  const found = new Map<string, Context>()
  const entries = places.map(({ org_id, vuln_id, groups, inventories }) => [org_id, vuln_id, groups, inventories])
  const reading = Promise.all(jsonChunks(entries).map((json) => db.all<Row>(selectContext(json))))
  const [shown, rows] = await Promise.all([findShownBy(db, places, now), reading])
  for (const { org_id, vuln_id, groups, inventories, verdict } of rows.flat()) {
    const key = placeKey(org_id, vuln_id)
    found.set(key, {
      groups: JSON.parse(groups) as string[],
      inventories: JSON.parse(inventories) as number[],
      views: shown.get(key) ?? [],
      verdict: verdictAtRank(verdict),
    })
  }
  return found
}

export const placeKey = (org_id: number, vuln_id: number) => `${org_id} ${vuln_id}`

type Row = { org_id: number; vuln_id: number; groups: string; inventories: string; verdict: number | null }

/** An inventory that was removed since leaves nothing out. */
const isBrought = sql`(EXISTS (SELECT 1 FROM inventory_vulns y WHERE y.org_id = p.org_id AND y.vuln_id = p.vuln_id AND y.inventory_id = i.value)
  OR NOT EXISTS (SELECT 1 FROM inventories n WHERE n.org_id = p.org_id AND n.id = i.value AND n.removed_at IS NULL))`

const selectContext = (json: string) => sql`
  SELECT p.org_id, p.vuln_id,
    (SELECT json_group_array(l.value) FROM json_each(p.labels) l WHERE ${isInGroup(sql`p.org_id`, sql`l.value`, sql`p.vuln_id`)}) AS groups,
    (SELECT json_group_array(i.value) FROM json_each(p.inventories) i WHERE ${isBrought}) AS inventories,
    (SELECT max(r.verdict) FROM (SELECT o.verdict FROM org_vulns o WHERE o.org_id = p.org_id AND o.vuln_id = p.vuln_id
      UNION ALL SELECT y.verdict FROM inventory_vulns y WHERE y.vuln_id = p.vuln_id AND y.org_id = p.org_id) r) AS verdict
  FROM (SELECT value ->> 0 AS org_id, value ->> 1 AS vuln_id, value ->> 2 AS labels, value ->> 3 AS inventories FROM json_each(${json})) p`

/** By which of the views that its channels ask for a vulnerability is shown. A view that is no longer shared, or cannot be read, leaves nothing out. */
async function findShownBy(db: Db, places: Place[], now: Date) {
  const shown = new Map<string, number[]>()
  const asking = Map.groupBy(
    places.filter(({ views }) => views.length),
    ({ org_id }) => org_id,
  )
  for (const [org_id, own] of asking) {
    const ids = own.map(({ vuln_id }) => vuln_id)
    const { views } = askedBy(own)
    const queries = await findQueries(db, org_id, views)
    for (const view of views) {
      const saved = queries.get(view)
      const query = saved === undefined ? null : readSavedQuery(saved)
      const fitting = query ? await findShown(db, { org_id, now }, query, ids) : new Set(ids)
      for (const id of fitting) shown.set(placeKey(org_id, id), [...(shown.get(placeKey(org_id, id)) ?? []), view])
    }
  }
  return shown
}

async function findQueries(db: Db, org_id: number, views: number[]) {
  const rows = await db
    .select({ id: savedViews.id, query: savedViews.query })
    .from(savedViews)
    .where(
      and(
        eq(savedViews.org_id, org_id),
        eq(savedViews.is_shared, true),
        inArray(savedViews.id, sql`(SELECT item FROM ${valuesTable(views)})`),
      ),
    )
  return new Map(rows.map(({ id, query }) => [id, query]))
}
