import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stampOf } from '../db/time'
import { orgOfName } from '../domain/cve'
import { describeChange } from '../domain/change'
import type { Change, ChangeKind } from '../domain/change'
import { changeReasons } from '../vulns/detail/history'
import { newestLinks, ownLinks } from '../vulns/list/newest-links'
import type { TimelineEntry, TimelineQuery } from './contract'

/** Of one vulnerability a timeline tells so many changes; its own history tells all. */
const mostOfOne = 20
/** Further back nobody turns the pages. */
const mostVulns = 1_000

type Read = {
  vuln_id: number
  cveid: string | null
  summary: string
  score: number | null
  updated_at: number
  seq: number | null
  at: string | null
  kind: ChangeKind | null
  source: string | null
  detail: string | null
}

/**
 * What changed on the vulnerabilities of a product, a vendor or a package, newest first. A vulnerability's newest change is what it
 * is listed by, so the newest so many changes are all among those of the newest so many vulnerabilities.
 */
export async function findTimeline(
  db: Db,
  org_id: number,
  of: { product: number } | { vendor: number } | { package: number },
  { page, limit }: TimelineQuery,
) {
  const last = page * limit
  const read = await db.all<Read>(sql`
    select v.id as vuln_id, v.cveid, substr(v.summary, 1, 400) as summary, v.score, v.updated_at,
           c.seq, c.at, c.kind, c.source, c.detail
    from (select * from (${newestIds(of, Math.min(last + 1, mostVulns))}) union all ${ownLinks(org_id, of)}) l
    cross join vulns v on v.id = l.vuln_id
    left join vuln_changes c on c.seq in (
      select seq from vuln_changes x where x.vuln_id = v.id order by seq desc limit ${mostOfOne}
    )`)
  const entries = read.toSorted((a, b) => compare(dateOf(b), dateOf(a)) || (b.seq ?? 0) - (a.seq ?? 0))
  const results = entries.slice(last - limit, last).map(toEntry)
  return { results, count: Math.min(entries.length, last + 1), count_is_exact: entries.length <= last }
}

function newestIds(of: { product?: number; vendor?: number; package?: number }, count: number) {
  const links = newestLinks(of)
  if (!links) throw new Error('A timeline is of a product, a vendor or a package')
  const where = links.where ? sql`where ${links.where}` : sql``
  const order = links.orderBy.length ? sql`order by ${sql.join(links.orderBy, sql`, `)}` : sql``
  return sql`select l.vuln_id from ${links.from} ${where} ${order} limit ${count}`
}

const dateOf = ({ at, updated_at }: Read) => at ?? stampOf(updated_at)
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

function toEntry(read: Read): TimelineEntry {
  const { vuln_id, cveid, summary, score, seq, kind, source, detail } = read
  const isOwn = cveid !== null && orgOfName(cveid) !== null
  const vuln = { id: vuln_id, cveid: isOwn ? null : cveid, summary, score }
  const date = dateOf(read)
  // What came with a first load and has not changed since has no entry in the log.
  if (kind === null || detail === null)
    return {
      id: `v${vuln_id}`,
      date,
      vuln,
      reason: 'Changed at its source',
      changes: [],
      source: source ?? 'first load',
    }
  const changes = (JSON.parse(detail) as Change[]).map(describeChange)
  return { id: `c${seq}`, date, vuln, reason: changeReasons[kind], changes, source: source ?? '' }
}
