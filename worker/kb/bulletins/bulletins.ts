import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { ftsWords } from '../../db/fts'
import type { Db } from '../../db/open'
import { isScoreProvisional } from '../../domain/scores/score'
import { unpack } from '../../db/pack'
import { notFound } from '../../http/errors'
import { pageOffset, type Found } from '../../http/page'
import { vulns } from '../../schema/vulns'
import { isVisible } from '../../watchlist/visible'
import { monitoredBulletins } from '../../schema/watchlist'
import { countFound, upToCap } from '../find-names'
import { BulletinBody, type BulletinDetail, type BulletinQuery, type BulletinRow, type bulletinSorts } from './contract'
import { counters } from '../../schema/counters'
import { bulletins, bulletinVulns } from '../../schema/bulletins'

type BulletinSort = (typeof bulletinSorts)[number]

/** A search with fewer hits is sorted from the hits; one with more walks the sorted index and tests each row. */
const rareHits = 1_000

const monitoredIds = (org_id: number) =>
  sql`SELECT bulletin_id FROM ${monitoredBulletins} mb WHERE mb.org_id = ${org_id}`

const bulletinColumns = (org_id: number) => ({
  id: bulletins.id,
  publicid: bulletins.publicid,
  vendor: bulletins.vendor,
  title: bulletins.title,
  severity: bulletins.severity,
  impact: bulletins.impact,
  published: bulletins.published,
  monitored: sql<boolean>`bulletins.id IN (${monitoredIds(org_id)})`.mapWith(Boolean).as('monitored'),
})

export async function findBulletins(db: Db, org_id: number, query: BulletinQuery): Promise<Found<BulletinRow>> {
  const search = await readSearch(db, query.search)
  if (search?.ids.length === 0) return { count: 0, results: [] }

  const filters = toFilters(org_id, query)
  const where = and(search?.where, ...filters)
  const isCounted = search && search.ids.length <= rareHits && filters.every((filter) => !filter)
  const [results, counted] = await db.batch([
    db
      .select(bulletinColumns(org_id))
      .from(bulletins)
      .where(where)
      .orderBy(...toOrder(query))
      .limit(query.limit)
      .offset(pageOffset(query)),
    where && !isCounted ? countFound(db, bulletins, where) : countAll(db),
  ])
  const count = isCounted ? search.ids.length : (counted[0]?.count ?? 0)
  return { results, ...upToCap(count, where) }
}

async function readSearch(db: Db, text: string | undefined) {
  if (!text) return undefined
  const words = ftsWords(text)
  if (!words) return { ids: [], where: undefined }
  const hits = sql`SELECT rowid AS id FROM bulletins_fts WHERE bulletins_fts MATCH ${words}`
  const ids = await db.all<{ id: number }>(sql`${hits} LIMIT ${rareHits + 1}`)
  // The plus makes SQLite walk the sorted index and test each row instead of sorting all hits.
  if (ids.length > rareHits) return { ids, where: sql`+${bulletins.id} IN (${hits})` }
  const found = JSON.stringify(ids.map(({ id }) => id))
  return { ids, where: sql`${bulletins.id} IN (SELECT value FROM json_each(${found}))` }
}

function toFilters(org_id: number, { vendor, severity, monitored, cveid }: BulletinQuery) {
  const isMonitored = sql`${bulletins.id} IN (${monitoredIds(org_id)})`
  return [
    cveid ? sql`${bulletins.id} IN (SELECT bulletin_id FROM ${bulletinVulns} l WHERE l.cveid = ${cveid})` : undefined,
    vendor ? eq(bulletins.vendor, vendor) : undefined,
    severity ? eq(bulletins.severity, severity) : undefined,
    monitored === undefined ? undefined : monitored ? isMonitored : sql`NOT ${isMonitored}`,
  ]
}

function toOrder({ sorted_by, then_by = [] }: Pick<BulletinQuery, 'sorted_by' | 'then_by'>) {
  const keys = [sorted_by, ...then_by]
  const direction = (key = '') => (key.startsWith('-') ? desc : asc)
  const columns = keys.map((key) => direction(key)(bulletins[key.replace(/^-/, '') as BulletinSort]))
  return [...columns, direction(keys.at(-1))(bulletins.id)]
}

const countAll = (db: Db) =>
  db
    .select({ count: sql<number>`${counters.value}`.as('count') })
    .from(counters)
    .where(eq(counters.name, 'bulletins'))

export async function getBulletinDetail(db: Db, org_id: number, id: number): Promise<BulletinDetail> {
  const [[row], cves] = await db.batch([
    db
      .select({
        ...bulletinColumns(org_id),
        source: bulletins.source,
        link: bulletins.link,
        modified: bulletins.modified,
        body: sql<string>`hex(${bulletins.body})`.as('body'),
      })
      .from(bulletins)
      .where(eq(bulletins.id, id)),
    db
      .select({
        cveid: bulletinVulns.cveid,
        id: vulns.id,
        score: vulns.score,
        state: vulns.state,
        cvss_vector: vulns.cvss_vector,
        cvss3_vector: vulns.cvss3_vector,
        cvss4_vector: vulns.cvss4_vector,
        is_malicious: vulns.is_malicious,
      })
      .from(bulletinVulns)
      .leftJoin(vulns, and(eq(vulns.cveid, bulletinVulns.cveid), isVisible(org_id)))
      .where(eq(bulletinVulns.bulletin_id, id))
      .orderBy(bulletinVulns.cveid),
  ])
  if (!row) throw notFound('Bulletin')
  return {
    ...row,
    body: BulletinBody.parse(unpack(row.body)),
    vulns: cves.map((cve) => ({ ...cve, is_score_provisional: isScoreProvisional(cve) })),
  }
}
