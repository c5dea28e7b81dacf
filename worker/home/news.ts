import { and, desc, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Viewer } from '../exploits/columns'
import { exploitKind } from '../exploits/kinds'
import { visibleTo } from '../exploits/matching'
import { exploits } from '../schema/exploits'
import { isMonitored } from '../watchlist/monitored'
import { readVulns } from '../vulns/list/find'
import { findRises } from './rises'

const shownRows = 5
/** So much of the newest is looked at for what is monitored. */
const lookedAt = 60
const recentDays = 30
const dueDays = 7

const dayAfter = (now: Date, days: number) => stamp(plusSeconds(now, days * 86_400)).slice(0, 10)

export async function findNews(db: Db, viewer: Viewer, now: Date) {
  const { org_id } = viewer
  const since = dayAfter(now, -recentDays)
  const [listed, risen, newExploits] = await Promise.all([
    findKev(db, org_id),
    findRises(db, org_id, now),
    findExploits(db, viewer, since),
  ])
  const kev = recentFirst(listed, ({ added }) => added, since)
  const due = findDue(listed, now)
  // Some of them fell again.
  const rises = risen.slice(0, 2 * shownRows)

  const rows = await readVulns(db, org_id, [...new Set([...kev, ...due, ...rises].map(({ id }) => id))])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const toRows = (found: { id: number }[]) => found.flatMap(({ id }) => byId.get(id) ?? [])
  return {
    kev: toRows(kev),
    due: toRows(due),
    rises: rises
      .flatMap(({ id, rise }) =>
        toRows([{ id }]).flatMap((row) =>
          (row.epss ?? 0) > rise.from ? [{ ...row, rise: { ...rise, to: row.epss ?? 0 } }] : [],
        ),
      )
      .slice(0, shownRows),
    exploits: newExploits,
  }
}

type Watched = { monitored: boolean }

/** The newest, of which what is monitored comes first where it is recent; where nothing is, what was newest before. */
function recentFirst<Row extends Watched>(rows: Row[], at: (row: Row) => string, since: string) {
  const recent = rows.filter((row) => at(row) >= since)
  const found = recent.length ? recent : rows.slice(0, shownRows)
  return found
    .toSorted((a, b) => Number(b.monitored) - Number(a.monitored) || (at(a) < at(b) ? 1 : -1))
    .slice(0, shownRows)
}

type Listed = Watched & { id: number; added: string; due: string | null; is_done: number }

/** The newest entries of KEV, each a threat activity that came out on the day when CISA added it. */
async function findKev(db: Db, org_id: number) {
  const rows = await db.all<Omit<Listed, 'monitored'> & { monitored: number }>(sql`
    SELECT vulns.id, vulns.kev_added_at AS added, vulns.kev_due_at AS due, ${isMonitored(org_id)} AS monitored,
      EXISTS (SELECT 1 FROM vuln_statuses s WHERE s.org_id = ${org_id} AND s.vuln_id = vulns.id
        AND s.status IN ('fixed', 'not_interesting')) AS is_done
    FROM threats t INDEXED BY threats_by_modified CROSS JOIN vulns ON vulns.id = t.vuln_id
    WHERE t.org_id IS NULL AND t.key = 'kev' AND vulns.kev_added_at IS NOT NULL
    ORDER BY t.modified DESC LIMIT ${lookedAt}`)
  return rows.map((row): Listed => ({ ...row, monitored: Boolean(row.monitored) }))
}

/** CISA gives two or three weeks, so what is due is among the newest entries. */
function findDue(listed: Listed[], now: Date) {
  const [today, end] = [dayAfter(now, 0), dayAfter(now, dueDays)]
  return listed
    .flatMap(({ due, ...row }) => (due !== null && !row.is_done && due >= today && due <= end ? [{ ...row, due }] : []))
    .toSorted((a, b) => Number(b.monitored) - Number(a.monitored) || (a.due < b.due ? -1 : 1))
    .slice(0, shownRows)
}

/** By the day on which each came out: the newest changes hold it, and old ones whose entry was changed. */
async function findExploits(db: Db, viewer: Viewer, since: string) {
  const { org_id } = viewer
  const changed = await db
    .select({
      id: exploits.id,
      link: exploits.link,
      at: sql<string>`coalesce(${exploits.published}, ${exploits.modified})`.as('at'),
      // Spelled out: a select of one table names its columns bare, and `o` has one of that name.
      monitored:
        sql`EXISTS (SELECT 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = exploits.vuln_id)`.mapWith(
          Boolean,
        ),
    })
    .from(exploits)
    .where(and(visibleTo(exploits, org_id), exploitKind.isListed))
    .orderBy(desc(exploits.modified), desc(exploits.id))
    .limit(lookedAt)
  const newest = changed.toSorted((a, b) => (a.at < b.at ? 1 : -1))
  const found = recentFirst(onceEach(newest), ({ at }) => at, since)
  const rows = await exploitKind.readRows(
    db,
    viewer,
    found.map(({ id }) => id),
  )
  return found.flatMap(({ id, monitored }) => rows.filter((row) => row.id === id).map((row) => ({ ...row, monitored })))
}

/** One exploit may be that of several vulnerabilities: the monitored one speaks for it. */
function onceEach<Row extends Watched & { link: string }>(rows: Row[]) {
  const groups = [...Map.groupBy(rows, ({ link }) => link).values()]
  return groups.flatMap((group) => group.find(({ monitored }) => monitored) ?? group.slice(0, 1))
}
