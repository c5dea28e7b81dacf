import { sql } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { isFiltering, type AskedOf, type ChannelRules, type JudgedVuln } from '../domain/alerts/alert-judge'
import type { RouteName } from '../domain/alerts/alert-rules'
import { verdictAtRank } from '../domain/versions/verdict'
import { Failure, invalid } from '../http/errors'
import { isKnownExploited } from '../schema/claims'
import { isProvisional } from '../schema/vulns'
import type { VulnQuery } from '../vulns/contract'
import { findShown } from '../vulns/list/find'
import { estimateQueries, readSavedQuery } from '../vulns/query'
import { isInGroup } from '../watchlist/monitored'

type Concerned = { org_id: number; vuln_id: number }
type Place = AskedOf & Concerned
type Context = Pick<JudgedVuln, 'groups' | 'inventories' | 'views' | 'verdict'>

/** Of what no channel asks more of. */
const noContext: Context = { groups: [], inventories: [], views: [], verdict: null }

const flags = ['is_score_provisional', 'is_exploitable', 'is_kev', 'is_malicious', 'is_rejected'] as const
export type JudgedRow = Omit<JudgedVuln, (typeof flags)[number] | keyof Context> &
  Record<(typeof flags)[number], number>

/** Columns of a vulnerability `v`. */
export const judgedColumns = sql`v.score, v.cvss, v.cvss3, v.epss, v.epss_percentile, v.is_exploitable, ${isKnownExploited} AS is_kev, v.is_malicious,
  v.state = 'rejected' AS is_rejected, ${isProvisional} AS is_score_provisional`

/** As the judge sees it, without what its organization has of it. */
export const toJudgedVuln = (row: JudgedRow): JudgedVuln => ({
  ...row,
  is_score_provisional: row.is_score_provisional === 1,
  is_exploitable: row.is_exploitable === 1,
  is_kev: row.is_kev === 1,
  is_malicious: row.is_malicious === 1,
  is_rejected: row.is_rejected === 1,
  ...noContext,
})

type MonitoredRow = JudgedRow & { id: number; cveid: string | null; summary: string }

/** The monitored ones of these, as an organization has them. */
export async function findJudged(
  db: Db,
  org_id: number,
  vuln_ids: number[],
  { asked, now }: { asked: AskedOf; now: Date },
) {
  if (!vuln_ids.length) return []
  const places = vuln_ids.map((vuln_id) => ({ org_id, vuln_id, ...asked }))
  const finding = db.all<MonitoredRow>(sql`
    SELECT v.id, v.cveid, v.summary, ${judgedColumns}
    FROM ${valuesTable(vuln_ids)} c CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = c.item
    CROSS JOIN vulns v ON v.id = o.vuln_id AND (v.org_id IS NULL OR v.org_id = ${org_id})`)
  const [rows, contexts] = await Promise.all([finding, findContext(db, places, now)])
  return rows.map((row) => ({ ...row, ...toJudgedVuln(row), ...contexts.get(placeKey(org_id, row.id)) }))
}

export const askedBy = (channels: AskedOf[]): AskedOf => ({
  groups: [...new Set(channels.flatMap(({ groups }) => groups))],
  inventories: [...new Set(channels.flatMap(({ inventories }) => inventories))],
  views: [...new Set(channels.flatMap(({ views }) => views))],
})

/** Those of them that a vulnerability concerns, and the worst running verdict, by organization and vulnerability. */
async function findContext(db: Db, places: Place[], now: Date) {
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

/** As the channels of each organization ask; nothing is read where they ask for nothing of it. */
export const findAskedContext = (db: Db, takers: Map<number, ChannelRules[]>, concerns: Concerned[], now: Date) => {
  const places = concerns.flatMap(({ org_id, vuln_id }) => {
    const channels = takers.get(org_id) ?? []
    return isFiltering(channels) ? [{ org_id, vuln_id, ...askedBy(channels) }] : []
  })
  return findContext(db, places, now)
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
  const asked = new Map([...asking].map(([org_id, channels]) => [org_id, askedBy(channels).views]))
  let left = maxQueries.run
  for (const { org_id, views, cost } of await findRuleViews(db, asked)) {
    left -= cost
    const ids = (asking.get(org_id) ?? []).map(({ vuln_id }) => vuln_id)
    for (const { id: view, query } of views) {
      const fitting = query && left >= 0 ? await findShown(db, { org_id, now }, query, ids) : new Set(ids)
      for (const id of fitting) shown.set(placeKey(org_id, id), [...(shown.get(placeKey(org_id, id)) ?? []), view])
    }
  }
  return shown
}

/** Questions to the database that the views of an organization, and of all in a run, may take: an invocation asks a thousand. Views beyond leave nothing out. */
const maxQueries = { org: 60, run: 300 }

type Asked = Map<number, number[]>
type RuleView = { id: number; query: VulnQuery | null; cost: number; is_cut?: boolean }

/** Those of the organizations that ask for least come first; of the views of one, the oldest. */
async function findRuleViews(db: Db, asked: Asked) {
  const pairs = [...asked].flatMap(([org_id, views]) => views.map((view) => [org_id, view]))
  const reading = jsonChunks(pairs).map((json) =>
    db.all<{ id: number; query: string }>(sql`SELECT v.id, v.query FROM json_each(${json}) j
      CROSS JOIN saved_views v ON v.id = j.value ->> 1 AND v.org_id = j.value ->> 0 AND v.is_shared = 1`),
  )
  const stored = new Map((await Promise.all(reading)).flat().map(({ id, query }) => [id, query]))
  const found = [...asked].map(([org_id, ids]) => {
    const views = cutCosts(ids.toSorted((a, b) => a - b).map((id) => readView(id, stored.get(id))))
    return { org_id, views, cost: views.reduce((sum, { cost }) => sum + cost, 0) }
  })
  return found.toSorted((a, b) => a.cost - b.cost)
}

function readView(id: number, stored: string | undefined): RuleView {
  const query = stored === undefined ? null : readSavedQuery(stored)
  try {
    return { id, query, cost: query ? estimateQueries(query) : 0 }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { id, query: null, cost: 0 }
  }
}

function cutCosts(views: RuleView[]) {
  let left = maxQueries.org
  return views.map((view) => ((left -= view.cost) < 0 ? { ...view, query: null, cost: 0, is_cut: true } : view))
}

/** Organizations whose views take more than a run over all has left for them. */
export async function findCrowded(db: Db, takers: Map<number, AskedOf[]>, limit: number) {
  const asked = [...takers].map(([org_id, channels]) => [org_id, askedBy(channels).views] as const)
  let left = limit
  return (await findRuleViews(db, new Map(asked.filter(([, views]) => views.length)))).flatMap(({ org_id, cost }) =>
    (left -= cost) < 0 ? [org_id] : [],
  )
}

/** Those of the views by which all rules of an organization go that leave nothing out, as they ask for too much. */
export async function findCutViews(db: Db, org_id: number, views: number[]) {
  const found = await findRuleViews(db, new Map([[org_id, [...new Set(views)]]]))
  return found.flatMap((org) => org.views).flatMap(({ id, is_cut }) => (is_cut ? [id] : []))
}

type ViewRule = { channel: RouteName; views: number[] }

/** A rule that takes further views must leave out by each of them, beside the rules of the other routes. */
export async function refuseCutViews(
  db: Db,
  org_id: number,
  { channel, views }: ViewRule,
  rows: (ViewRule & { is_configured: boolean })[],
) {
  const stored = rows.find((row) => row.channel === channel)?.views ?? []
  if (views.every((view) => stored.includes(view))) return
  const others = rows.filter((row) => row.channel !== channel && row.is_configured)
  if (!(await findCutViews(db, org_id, [...views, ...others.flatMap((row) => row.views)])).length) return
  const message = 'The saved views of all rules together have too many conditions: take fewer views, or shorter ones'
  throw invalid([{ path: ['views'], message }])
}
