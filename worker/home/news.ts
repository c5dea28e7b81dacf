import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { plusSeconds, stamp } from '../db/time'
import { compareText } from '../domain/versions/orders/order'
import type { Viewer } from '../exploits/columns'
import { exploitKind } from '../exploits/kinds'
import { visibleTo } from '../exploits/matching'
import { isSettled } from '../schema/decisions'
import { exploits } from '../schema/exploits'
import { vulns } from '../schema/vulns'
import { toRow, vulnColumns, findChosen, findVulnRows } from '../vulns/columns'
import { dueQuery, newestKev } from './contract'
import { dueDay, followsKev } from '../watchlist/due-days'
import { findLocalNow } from '../watchlist/local-now'
import { VulnQuery, type VulnRow } from '../vulns/contract'
import { findVulns } from '../vulns/list/find'
import { findWeekRises, recallWeekRises } from '../vulns/epss'

const shownRows = 5
/** How many of the newest rows we look at to fill a list. */
const newestRows = { kev: newestKev, exploits: 30 }
const recentDays = 30
export const dueDays = 7
/** CISA gives half a year at most. */
const longestDue_days = 190
/** An organization that monitors more: we start from what is recent in KEV and among the exploits, which is less then. */
const fewWatched = 150
/** How many recent exploits we look through at most, and how many we take. */
const walked = { exploits: 2_000, found: 30 }

export const dayAfter = (now: Date, days: number) => stamp(plusSeconds(now, days * 86_400)).slice(0, 10)

/** The last month, or the month before the newest row if that is older. */
function recentSince(newest = '', now: Date) {
  const at = new Date(newest)
  return dayAfter(at < plusSeconds(now, -recentDays * 86_400) ? at : now, -recentDays)
}

export async function findNews(db: Db, viewer: Viewer, now: Date) {
  const { org_id } = viewer
  const [news, newExploits] = await Promise.all([findVulnNews(db, org_id, now), findExploits(db, viewer, now)])
  return { ...news, ...newExploits }
}

async function findVulnNews(db: Db, org_id: number, now: Date) {
  const [listed, { risen, ids, rows }, local, [policy]] = await Promise.all([
    findKev(db, org_id, now),
    readRisen(db, org_id, now),
    findLocalNow(db, org_id, now),
    db.all<{ follows_kev: number }>(sql`SELECT ${followsKev(org_id)} AS follows_kev`),
  ])
  const toRows = (found: Listed[]) => found.map(({ row }) => row)
  const kev = toRows(recentFirst(listed, ({ row }) => row.kev?.added ?? '', now))
  const due = policy?.follows_kev ? toRows(findDue(listed, local)) : undefined
  const byId = new Map([...rows, ...kev, ...(due ?? [])].map((row) => [row.id, row]))
  return {
    kev,
    due: due ?? (await findOwnDue(db, org_id, now)),
    rises: ids
      .flatMap((id) => {
        const [row, rise] = [byId.get(id), risen.get(id)]
        const to = row?.epss ?? 0
        return row && rise && to > rise.from ? [{ ...row, rise: { ...rise, to } }] : []
      })
      .toSorted((a, b) => Number(b.monitored) - Number(a.monitored))
      .slice(0, shownRows),
  }
}

/** The greatest first; in the trip that asks which EPSS rose, the rows of what had risen when this isolate asked last. */
async function readRisen(db: Db, org_id: number, now: Date) {
  const likely = recallWeekRises()
  const [risen, early] = await Promise.all([findWeekRises(db, now), findRisenRows(db, org_id, likely)])
  return { risen, ...(risen === likely ? early : await findRisenRows(db, org_id, risen)) }
}

async function findRisenRows(db: Db, org_id: number, risen: ReturnType<typeof recallWeekRises>) {
  const ids = [...risen].toSorted(([, a], [, b]) => b.to - b.from - (a.to - a.from)).map(([id]) => id)
  return { ids, rows: ids.length ? await findVulnRows(db, org_id, sql`(${selectRisen(org_id, ids)})`) : [] }
}

/** The greatest rises, and the greatest of what is monitored: twice as many as are shown, because some fell again. */
const selectRisen = (org_id: number, ids: number[]) => sql`
  SELECT item FROM ${valuesTable(ids.slice(0, 2 * shownRows))}
  UNION SELECT item FROM (SELECT j.item FROM ${valuesTable(ids)} j CROSS JOIN org_vulns o
    ON o.org_id = ${org_id} AND o.vuln_id = j.item LIMIT ${2 * shownRows})`

/** The same in SQL, of a query of one day. */
const selectRecentSince = (newest: SQL, now: Date) => sql`
  SELECT iif(n.at < ${dayAfter(now, -recentDays)}, date(n.at, ${`-${recentDays} days`}), ${dayAfter(now, -recentDays)}) AS day
  FROM (SELECT (${newest}) AS at) n`

type Watched = { id: number; monitored: boolean }

/** Recent rows, monitored ones first, then the newest. */
function recentFirst<Row extends Watched>(rows: Row[], at: (row: Row) => string, now: Date) {
  const newest = rows.toSorted((a, b) => compareText(at(b), at(a)) || b.id - a.id)
  const since = recentSince(newest[0] && at(newest[0]), now)
  const shown = newest
    .filter((row) => at(row) >= since)
    .toSorted((a, b) => Number(b.monitored) - Number(a.monitored))
    .slice(0, shownRows)
  // If nothing is recent, older rows fill the list.
  const isOld = since < dayAfter(now, -recentDays)
  return isOld ? [...new Set([...shown, ...newest])].slice(0, shownRows) : shown
}

type Listed = Watched & { row: VulnRow; is_done: number }

/**
 * The newest entries of KEV (threat activities dated to the day when CISA added them), and all that are recent or due
 * within a week, in any time zone, and monitored.
 */
async function findKev(db: Db, org_id: number, now: Date) {
  const isListed = sql`t.org_id IS NULL AND t.key = 'kev' AND vulns.kev_added_at IS NOT NULL AND vulns.state <> 'rejected'`
  const read = (columns: SQL, from: SQL, more: SQL) => sql`
    SELECT ${columns} FROM ${from} CROSS JOIN vulns ON vulns.id = t.vuln_id WHERE ${isListed} ${more}`
  const is_done = sql<number>`${isSettled(sql`${org_id}`, sql`vulns.id`)}`
  const columns = sql`vulns.id AS item, json_object('is_done', ${is_done}) AS told`
  const newestThreats = sql`threats t INDEXED BY threats_by_modified`
  const newestAdded = read(sql`vulns.kev_added_at`, newestThreats, sql`ORDER BY t.modified DESC LIMIT 1`)
  const isOurs = sql`w.org_id = ${org_id} AND w.vuln_id`
  const isRecentOrDue = sql`AND t.modified >= min(since.day, ${dayAfter(now, -longestDue_days)})
    AND (vulns.kev_added_at >= since.day OR ${dueDay(org_id)} BETWEEN ${dayAfter(now, -1)} AND ${dayAfter(now, dueDays + 1)})`
  const [newest, own] = await Promise.all([
    db
      .select({ row: vulnColumns(org_id), is_done: is_done.as('is_done') })
      .from(newestThreats)
      .crossJoin(vulns)
      .where(sql`vulns.id = t.vuln_id AND ${isListed}`)
      .orderBy(sql`t.modified DESC`)
      .limit(newestRows.kev),
    findChosen<Pick<Listed, 'is_done'>>(
      db,
      org_id,
      sql`
      WITH watched AS MATERIALIZED (${selectIsMany(org_id)}),
      since AS MATERIALIZED (${selectRecentSince(newestAdded, now)})
      ${read(
        columns,
        sql`watched CROSS JOIN since CROSS JOIN threats t INDEXED BY threats_by_modified CROSS JOIN org_vulns w ON ${isOurs} = t.vuln_id`,
        sql`AND is_many ${isRecentOrDue}`,
      )} UNION ALL ${read(
        columns,
        sql`watched CROSS JOIN since CROSS JOIN org_vulns w CROSS JOIN threats t INDEXED BY threats_once
          ON ${isOurs} = t.vuln_id AND t.key = 'kev' AND coalesce(t.org_id, 0) = 0`,
        sql`AND NOT is_many ${isRecentOrDue}`,
      )}`,
    ),
  ])
  const listed = [
    ...own.flatMap(({ row, told }) => (row ? [{ ...told, row }] : [])),
    ...newest.map((one) => ({ ...one, row: toRow(one.row) })),
  ]
  const byId = new Map(listed.map((one) => [one.row.id, one]))
  return [...byId].map(([id, one]) => ({ ...one, id, monitored: one.row.monitored }))
}

export const selectIsMany = (org_id: number) => sql`
  SELECT EXISTS (SELECT 1 FROM org_vulns INDEXED BY org_vulns_by_touched WHERE org_id = ${org_id} LIMIT 1 OFFSET ${fewWatched}) AS is_many`

async function monitorsMany(db: Db, org_id: number) {
  const [watched] = await db.all<{ is_many: number }>(selectIsMany(org_id))
  return watched?.is_many === 1
}

/** The first of the list of `dueQuery`; `local`: now by the organization's own clock. */
function findDue(listed: Listed[], local: Date) {
  const [today, end] = [dayAfter(local, 0), dayAfter(local, dueDays)]
  return listed
    .flatMap((one) => {
      const { due } = one.row
      return due !== null && !one.is_done && due >= today && due <= end ? [{ ...one, due }] : []
    })
    .toSorted((a, b) => Number(b.monitored) - Number(a.monitored) || (a.due < b.due ? -1 : 1))
    .slice(0, shownRows)
}

/** The same by a policy that makes days of its own, which only what is monitored has. */
async function findOwnDue(db: Db, org_id: number, now: Date) {
  const query = VulnQuery.parse({ q: dueQuery, sorted_by: 'due', limit: shownRows, count: 'quick' })
  return (await findVulns(db, { org_id, now }, query)).results
}

/** The newest exploits, and the newest ones of what is monitored. */
async function findExploits(db: Db, viewer: Viewer, now: Date) {
  const { org_id } = viewer
  const isShown = sql`${visibleTo(exploits, org_id)} AND ${exploitKind.isListed}`
  const at = sql`coalesce(exploits.published, exploits.modified)`
  const columns = sql`exploits.id, exploits.link, ${at} AS at,
    EXISTS (SELECT 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = exploits.vuln_id) AS monitored`
  const read = (from: SQL, more: SQL) => sql`SELECT ${columns} FROM ${from} WHERE ${isShown} ${more}`
  // The exploits that changed last include the newest, and older ones whose entry changed.
  const selectNewest = (selected: SQL) => sql`SELECT ${selected} FROM exploits INDEXED BY exploits_by_modified
    WHERE ${isShown} ORDER BY exploits.modified DESC, exploits.id DESC LIMIT ${newestRows.exploits}`
  const recent = (day: SQL) =>
    sql`FROM exploits INDEXED BY exploits_by_modified WHERE modified >= ${day} AND ${visibleTo(exploits, org_id)}`
  const readShown = ({ ids, cut_since }: Told) =>
    Promise.all([
      exploitKind.findRows(db, viewer, valuesTable(ids)),
      cut_since ? db.all(sql`SELECT 1 ${recent(sql`${cut_since}`)} LIMIT 1 OFFSET ${walked.exploits}`) : [],
    ])
  const last = lastTold.get(org_id)
  const [newest, own, hasMany, early] = await Promise.all([
    db.all<Found>(selectNewest(columns)),
    db.all<Found>(sql`
      WITH watched AS MATERIALIZED (${selectIsMany(org_id)}),
      since AS MATERIALIZED (${selectRecentSince(sql`SELECT max(at) FROM (${selectNewest(sql`${at} AS at`)})`, now)})
      SELECT * FROM (${read(
        sql`(SELECT * ${recent(sql`(SELECT day FROM since)`)}
            ORDER BY modified DESC LIMIT (SELECT is_many * ${walked.exploits} FROM watched)) exploits
          CROSS JOIN org_vulns w ON w.org_id = ${org_id} AND w.vuln_id = exploits.vuln_id`,
        sql`AND ${at} >= (SELECT day FROM since) LIMIT ${walked.found}`,
      )}) UNION ALL SELECT * FROM (${read(
        sql`watched CROSS JOIN since CROSS JOIN org_vulns w
          CROSS JOIN exploits INDEXED BY exploits_once ON w.org_id = ${org_id} AND exploits.vuln_id = w.vuln_id`,
        sql`AND NOT is_many AND ${at} >= since.day ORDER BY ${at} DESC LIMIT ${walked.found}`,
      )})`),
    monitorsMany(db, org_id),
    last && readShown(last),
  ])
  const isCut = hasMany && own.length < walked.found
  const since = recentSince(
    newest
      .map((row) => row.at)
      .toSorted()
      .at(-1),
    now,
  )
  const rows = [...own, ...newest].map((row) => ({ ...row, monitored: Boolean(row.monitored) }))
  const found = recentFirst(onceEach(rows), (row) => row.at, now)
  const told = { ids: found.map(({ id }) => id), cut_since: isCut ? since : null }
  const isSame = JSON.stringify(told) === JSON.stringify(last)
  if (!isSame) keepTold(org_id, told)
  const [shown, further] = isSame && early ? early : await readShown(told)
  return {
    exploits: found.flatMap(({ id, monitored }) =>
      shown.filter((row) => row.id === id).map((row) => ({ ...row, monitored })),
    ),
    exploits_looked_at: further.length ? walked.exploits : null,
  }
}

type Found = { id: number; link: string; at: string; monitored: number }

/** The rows of a home are chosen before they are read: this isolate asks for those it told an organization last in the trip that chooses. */
type Told = { ids: number[]; cut_since: string | null }
const lastTold = new Map<number, Told>()
const maxTold = 1_000

function keepTold(org_id: number, told: Told) {
  lastTold.delete(org_id)
  lastTold.set(org_id, told)
  const [oldest] = lastTold.keys()
  if (lastTold.size > maxTold && oldest !== undefined) lastTold.delete(oldest)
}

/** One exploit may belong to several vulnerabilities: keeps the monitored one. */
function onceEach<Row extends Watched & { link: string }>(rows: Row[]) {
  const groups = [...Map.groupBy(rows, ({ link }) => link).values()]
  return groups.flatMap((group) => group.find(({ monitored }) => monitored) ?? group.slice(0, 1))
}
