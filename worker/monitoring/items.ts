import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { formatSeconds, stamp } from '../db/time'
import { valuesTable } from '../db/values'
import { isCveId } from '../domain/names/cve'
import { localTime } from '../domain/alerts/report-times'
import type { Actor } from '../domain/people/access'
import type { WatchedKind } from '../domain/names/watch-item'
import type { JudgedKind } from '../domain/versions/verdict'
import { findInState } from '../exposure/running-releases'
import { pageOffset } from '../http/page'
import { matchedPlace, watchedPlace } from '../schema/inventories'
import type { EndOfLife } from '../taxonomy/contract'
import { findVersionSupport, toLifecycle, type StoredLifecycle } from '../taxonomy/lifecycles'
import { itemTables, parseList, isJudged } from '../watchlist/item-tables'
import type { ItemKind, ItemQuery, MonitoredItem } from './contract'
import { watchedByList } from './export'
import { findOrgStats } from './stats'
import { countUrgent } from './urgent'
import { findWorst, type Worst } from './worst'

type Row = {
  id: number
  name: string
  vendor: string | null
  groups: string | null
  versions: string | null
  lifecycles: string | null
  is_exposed: number | null
  is_comparing: number
  concerning: string
  newest_id: number | null
  cveid: string | null
  summary: string | null
  kev_added_at: string | null
  updated_at: number | null
}

/** Reads only the page, unless names are searched. */
export async function findMonitored(db: Db, { org_id, time_zone }: Actor, list: ItemKind, query: ItemQuery) {
  const now = new Date()
  const today = stamp(localTime(time_zone, now)).slice(0, 10)
  const kind = watchedByList[list]
  const page =
    query.search || query.end_of_life || query.sorted_by.endsWith('name')
      ? await findByName(db, { org_id, kind, now }, query)
      : selectPage(db, org_id, list, query)
  const [rows, worst, urgent, count] = await Promise.all([
    db.all<Row>(selectRows(kind, { org_id, ids: page.ids, limit: query.limit })),
    findWorst(db, org_id, kind, page.ids),
    countUrgent(db, { org_id, kind, ids: page.ids, now, today }),
    page.count,
  ])
  const results = rows.map((row) => ({
    ...toItem(kind, row, now),
    ...(worst.get(row.id) ?? { worst: null, is_pending: false }),
    open: urgent.get(row.id) ?? { exploited: 0, affecting: 0, overdue: 0, overdue_is_exact: true },
  }))
  return { count, results }
}

function toItem(kind: WatchedKind, row: Row, now: Date): Omit<MonitoredItem, keyof Worst | 'open'> {
  const { id, name, vendor, is_exposed, newest_id, summary, kev_added_at, updated_at } = row
  const cveid = isCveId(row.cveid ?? '') ? row.cveid : null
  return {
    id,
    name: kind === 'vuln' && !isCveId(name) ? `PH-${id}` : name,
    vendor,
    groups: parseList(row.groups),
    versions: parseList(row.versions),
    end_of_life: describeSupports(row, now),
    publicly_exposed: is_exposed === null ? null : is_exposed === 1,
    is_comparing: Boolean(row.is_comparing),
    concerning: toConcerning(row.concerning),
    newest:
      newest_id === null || updated_at === null || summary === null
        ? null
        : { id: newest_id, cveid, summary, kev_added_at, updated_at: formatSeconds(updated_at) },
  }
}

function describeSupports({ versions, lifecycles }: Row, now: Date) {
  const listed = (JSON.parse(lifecycles ?? '[]') as StoredLifecycle[]).map((one) => toLifecycle(one, now))
  return parseList(versions).map((version) => ({
    version,
    support: listed.map((one) => findVersionSupport(one, version, now)).find((one) => one !== null) ?? null,
  }))
}

/** The items by their ids, which their keys have in order; of a group as well. A table of `item`, so that they are read in one trip. */
function selectPage(db: Db, org_id: number, list: ItemKind, { group, sorted_by, ...page }: ItemQuery) {
  const kind = watchedByList[list]
  const direction = sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`
  const from = group
    ? sql`SELECT m.item_id AS item FROM watch_groups m WHERE m.org_id = ${org_id} AND m.label = ${group} AND m.kind = ${kind}`
    : sql`SELECT m.${itemTables[kind].id} AS item FROM ${itemTables[kind].watched} m WHERE m.org_id = ${org_id} AND ${itemTables[kind].isOn}`
  return {
    ids: sql`(${from} ORDER BY 1 ${direction} LIMIT ${page.limit} OFFSET ${pageOffset(page)})`,
    count: group ? countGroup(db, from) : countItems(db, org_id, list),
  }
}

async function countItems(db: Db, org_id: number, list: ItemKind) {
  const { monitored } = await findOrgStats(db, org_id)
  return monitored[list === 'vulns' ? 'vulnerabilities' : list]
}

async function countGroup(db: Db, items: SQL) {
  const [counted] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${items})`)
  return counted?.count ?? 0
}

type Listed = { org_id: number; kind: WatchedKind; now: Date }

/** Reads the names of all items, and sorts them here: the database would read each once more. */
async function findByName(db: Db, { org_id, kind, now }: Listed, query: ItemQuery) {
  const { search, group, sorted_by, end_of_life, ...page } = query
  const { items, watched, isOn, name, value } = itemTables[kind]
  const full = kind === 'vuln' ? sql`${name} || ' PH-' || i.id` : value
  const id = sql`m.${itemTables[kind].id}`
  const inGroup = group
    ? sql` AND EXISTS (SELECT 1 FROM watch_groups g WHERE g.org_id = m.org_id AND g.label = ${group} AND g.kind = ${kind} AND g.item_id = ${id})`
    : sql``
  const isNamed = search ? sql` AND instr(lower(${full}), ${search.toLowerCase()}) > 0` : sql``
  const rows = await db.values<[id: number, name: string]>(
    sql`SELECT ${id}, ${full} FROM ${watched} m CROSS JOIN ${items} i ON i.id = ${id}
      WHERE m.org_id = ${org_id} AND ${isOn}${inGroup}${isNamed}${await isOfState(db, { org_id, kind, now }, end_of_life)}`,
  )
  const sign = sorted_by.startsWith('-') ? -1 : 1
  const sorted = sorted_by.endsWith('name')
    ? rows.toSorted(([a, one], [b, other]) => sign * (one === other ? a - b : one < other ? -1 : 1))
    : rows.toSorted(([a], [b]) => sign * (a - b))
  const ids = sorted.slice(pageOffset(page), pageOffset(page) + page.limit).map(([one]) => one)
  return { ids: valuesTable(ids), count: rows.length }
}

async function isOfState(db: Db, { org_id, kind, now }: Listed, asked: EndOfLife | undefined) {
  if (!asked) return sql``
  // Of what has no versions nobody can tell.
  if (!isJudged(kind)) return asked === 'unknown' ? sql`` : sql` AND FALSE`
  const found = await findInState(db, org_id, { via: kind, asked }, now)
  const id = sql`m.${itemTables[kind].id}`
  if (asked !== 'unknown') return sql` AND ${id} IN (SELECT j.value FROM json_each(${found}) j)`
  return sql` AND (coalesce(m.versions, '[]') = '[]' OR EXISTS (SELECT 1 FROM json_each(m.versions) r
    WHERE ${id} || ' ' || r.value NOT IN (SELECT j.value FROM json_each(${found}) j)))`
}

function selectRows(kind: WatchedKind, { org_id, ids, limit }: { org_id: number; ids: SQL; limit: number }) {
  const { items, watched, id, name, first, versions } = itemTables[kind]
  return sql`SELECT p.*, v.cveid, substr(v.summary, 1, 200) AS summary, v.kev_added_at, v.updated_at FROM (
      SELECT i.id, m.groups, ${versions} AS versions, ${isJudged(kind) ? listedLifecycles(kind) : sql`NULL`} AS lifecycles,
        (SELECT e.is_exposed FROM public_exposures e WHERE e.org_id = ${org_id} AND e.kind = ${kind} AND e.item_id = i.id AND e.label = '') AS is_exposed,
        ${isComparing(kind, org_id)} AS is_comparing, ${name} AS name, ${first} AS vendor,
        ${newest(kind, org_id)} AS newest_id, ${selectConcerning(kind, org_id, limit)} AS concerning
      FROM ${ids} j CROSS JOIN ${watched} m ON m.org_id = ${org_id} AND m.${id} = j.item
      CROSS JOIN ${items} i ON i.id = j.item
    ) p LEFT JOIN vulns v ON v.id = p.newest_id`
}

const listedLifecycles = (kind: JudgedKind) =>
  sql`(SELECT json_group_array(json_object('id', l.id, 'label', l.label, 'releases', l.releases, 'pinned', n.release)) FROM lifecycle_names n
    CROSS JOIN lifecycles l ON l.id = n.lifecycle_id WHERE m.versions IS NOT NULL AND n.kind = ${kind} AND n.first = ${itemTables[kind].first} AND n.name = i.name)`

const isComparing = (kind: WatchedKind, org_id: number) => {
  const waits = [matchedPlace[kind], ...(isJudged(kind) ? [watchedPlace[kind]] : [])].map(
    (place) =>
      sql`EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = ${org_id} AND d.inventory_id = ${place} AND d.component_id = i.id)`,
  )
  return sql`(${sql.join(waits, sql` OR `)})`
}

/** So many of the newest are looked at for one that concerns the organization. */
const looked = 100

/** The newest vulnerability of an item that concerns the organization: of everybody's, or else of its own. */
function newest(kind: WatchedKind, org_id: number): SQL {
  if (kind === 'vuln') return sql`i.id`
  const { links, id } = itemTables[kind]
  const first = (owner: SQL) => sql`(SELECT l.vuln_id FROM (
      SELECT vuln_id FROM ${links} WHERE ${id} = i.id AND org_id ${owner} ORDER BY touched DESC LIMIT ${looked}) l
    WHERE EXISTS (SELECT 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = l.vuln_id) LIMIT 1)`
  return sql`coalesce(${first(sql`= ${org_id}`)}, ${first(sql`IS NULL`)})`
}

const maxShown = 500

/** One seek for each label. */
export async function findGroups(db: Db, org_id: number) {
  const next = (after: ReturnType<typeof sql>) =>
    sql`(SELECT g.label FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label > ${after} ORDER BY g.label LIMIT 1)`
  const rows = await db.all<{ label: string }>(sql`
    WITH RECURSIVE known(label) AS (
      SELECT ${next(sql`''`)} UNION ALL SELECT ${next(sql`known.label`)} FROM known WHERE known.label IS NOT NULL
    ) SELECT label FROM known WHERE label IS NOT NULL LIMIT ${maxShown}`)
  return rows.map(({ label }) => label)
}

/** So many links are read for a page, three rows each: an item has its share. */
const maxLinks = 12_000

// Else all that the item has concerns the organization, and is counted already.
const isPart = {
  vendor: (
    org_id: number,
  ) => sql`i.id IN (SELECT p.vendor_id FROM monitored_products x CROSS JOIN products p ON p.id = x.product_id
    WHERE x.org_id = ${org_id} AND (x.is_monitored = 0 OR x.versions IS NOT NULL))`,
  product: () => sql`m.versions IS NOT NULL`,
  package: () => sql`m.versions IS NOT NULL`,
}

/** Of an item `i` of a watchlist's row `m`, as JSON: as many as the list of vulnerabilities finds by the item and `monitored`. */
export function selectConcerning(kind: WatchedKind, org_id: number, limit: number): SQL {
  if (kind === 'vuln') return sql`'[[1,1],[0,1]]'`
  const most = Math.floor(maxLinks / limit)
  const count = (owner: SQL) => sql`(
    SELECT json_array(count(DISTINCT v.id), count(*) <= ${most})
    FROM (SELECT vuln_id FROM ${itemTables[kind].links} WHERE ${itemTables[kind].id} = i.id AND org_id ${owner} LIMIT ${most + 1}) l
    LEFT JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = l.vuln_id
    LEFT JOIN vulns v ON v.id = o.vuln_id AND v.state <> 'rejected')`
  const shared = sql`CASE WHEN ${isPart[kind](org_id)} THEN ${count(sql`IS NULL`)} ELSE json_array(i.vulns_count, 1) END`
  return sql`json_array(json(${shared}), json(${count(sql`= ${org_id}`)}))`
}

type Count = [count: number, is_exact: number]

export function toConcerning(json: string): MonitoredItem['concerning'] {
  const [shared, own] = JSON.parse(json) as [Count, Count]
  return { count: shared[0] + own[0], is_exact: shared[1] + own[1] === 2 }
}
