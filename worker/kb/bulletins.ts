import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsWords } from '../db/fts'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import { countCap, offsetOf } from '../http/page'
import type { Found } from '../http/page'
import { vulns } from '../vulns/tables'
import { monitoredBulletins } from '../watchlist/tables'
import { BulletinBody } from './contract'
import type { BulletinDetail, BulletinQuery, BulletinRow } from './contract'
import { bulletins, bulletinVulns, counters } from './tables'

/** A search looks at so many hits. */
const mostHits = 2_000

const monitoredIds = (org_id: number) =>
  sql`select bulletin_id from ${monitoredBulletins} mb where mb.org_id = ${org_id}`

const bulletinColumns = (org_id: number) => ({
  id: bulletins.id,
  publicid: bulletins.publicid,
  vendor: bulletins.vendor,
  title: bulletins.title,
  severity: bulletins.severity,
  impact: bulletins.impact,
  published: bulletins.published,
  monitored: sql<boolean>`bulletins.id in (${monitoredIds(org_id)})`.mapWith(Boolean).as('monitored'),
})

/** Bulletins as the organization sees them; `cveid` finds those that speak of a CVE. */
export async function findBulletins(db: Db, org_id: number, query: BulletinQuery): Promise<Found<BulletinRow>> {
  const { search, vendor, severity, monitored, cveid } = query
  const words = search ? ftsWords(search) : null
  if (search && !words) return { count: 0, results: [] }

  const isMonitored = sql`${bulletins.id} in (${monitoredIds(org_id)})`
  const where = and(
    words ? sql`${bulletins.id} in (${hitsOf(words)})` : undefined,
    cveid ? sql`${bulletins.id} in (select bulletin_id from ${bulletinVulns} l where l.cveid = ${cveid})` : undefined,
    vendor ? eq(bulletins.vendor, vendor) : undefined,
    severity ? eq(bulletins.severity, severity) : undefined,
    monitored === undefined ? undefined : monitored ? isMonitored : sql`not ${isMonitored}`,
  )
  const [results, counted] = await db.batch([
    db
      .select(bulletinColumns(org_id))
      .from(bulletins)
      .where(where)
      .orderBy(...orderOf(query.sorted_by))
      .limit(query.limit)
      .offset(offsetOf(query)),
    where ? countMatching(db, where) : countAll(db),
  ])
  const count = counted[0]?.count ?? 0
  if (!where) return { results, count }
  return { results, count: Math.min(count, countCap), count_is_exact: count < (words ? mostHits : countCap) }
}

// Those that came last: a rising id is all that the index knows of time.
const hitsOf = (words: string) =>
  sql`select rowid from bulletins_fts where bulletins_fts match ${words} order by rowid desc limit ${mostHits}`

function orderOf(sorted_by: BulletinQuery['sorted_by']) {
  const direction = sorted_by.startsWith('-') ? desc : asc
  const columns = { published: [bulletins.published], vendor: [bulletins.vendor], id: [] }
  const field = sorted_by.replace(/^-/, '') as keyof typeof columns
  return [...columns[field], bulletins.id].map((column) => direction(column))
}

function countMatching(db: Db, where: SQL) {
  const found = db
    .select({ one: sql`1`.as('one') })
    .from(bulletins)
    .where(where)
    .limit(countCap)
    .as('found')
  return db.select({ count: sql<number>`count(*)`.as('count') }).from(found)
}

const countAll = (db: Db) =>
  db
    .select({ count: sql<number>`${counters.value}`.as('count') })
    .from(counters)
    .where(eq(counters.name, 'bulletins'))

/** One bulletin, with its CVEs and what is known of them here. */
export async function getBulletinDetail(db: Db, org_id: number, id: number): Promise<BulletinDetail> {
  const isShown = sql`(${vulns.org_id} is null or ${vulns.org_id} = ${org_id})`
  const [[row], cves] = await db.batch([
    db
      .select({
        ...bulletinColumns(org_id),
        source: bulletins.source,
        link: bulletins.link,
        modified: bulletins.modified,
        body: bulletins.body,
      })
      .from(bulletins)
      .where(eq(bulletins.id, id)),
    db
      .select({ cveid: bulletinVulns.cveid, id: vulns.id, score: vulns.score, state: vulns.state })
      .from(bulletinVulns)
      .leftJoin(vulns, and(eq(vulns.cveid, bulletinVulns.cveid), isShown))
      .where(eq(bulletinVulns.bulletin_id, id))
      .orderBy(bulletinVulns.cveid),
  ])
  if (!row) throw notFound('Bulletin')
  return { ...row, body: BulletinBody.parse(JSON.parse(row.body)), vulns: cves }
}

type Setting = { monitored: boolean; now: Date }

/** Puts bulletins on the organization's watchlist, or takes them off: all of them, or none when one is unknown. */
export async function setBulletinsMonitored(db: Db, org_id: number, ids: number[], { monitored, now }: Setting) {
  const wanted = [...new Set(ids)]
  const listed = sql`(select value from json_each(${JSON.stringify(wanted)}))`
  const known = await db.select({ id: bulletins.id }).from(bulletins).where(inArray(bulletins.id, listed))
  if (known.length < wanted.length) throw notFound('Bulletin')

  if (monitored)
    await db
      .insert(monitoredBulletins)
      .select(sql`select ${org_id}, value, ${stamp(now)} from ${listed} where true`)
      .onConflictDoNothing()
  else
    await db
      .delete(monitoredBulletins)
      .where(and(eq(monitoredBulletins.org_id, org_id), inArray(monitoredBulletins.bulletin_id, listed)))
}
