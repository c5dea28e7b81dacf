import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { formatSeconds } from '../../db/time'
import { knownId } from '../../domain/names/cve'
import { describeChange } from '../../domain/alerts/change'
import type { VulnChange, ChangeKind } from '../../domain/alerts/change'
import { isProvisional } from '../../schema/vulns'
import { changeReasons } from '../../vulns/detail/history'
import { newestLinks, ownLinks } from './newest-links'
import type { TimelineEntry, TimelineQuery } from './contract'

/** The most changes of one vulnerability in a timeline; its own history has all. */
const maxChanges = 20
/** Nobody pages further back. */
const maxVulns = 1_000

type Read = {
  vuln_id: number
  cveid: string | null
  summary: string
  score: number | null
  is_provisional: number
  updated_at: number
  seq: number | null
  at: string | null
  kind: ChangeKind | null
  source: string | null
  detail: string | null
}

type Item = { product: number } | { vendor: number } | { package: number }

/** Newest first. An item lists its vulnerabilities by their newest change, so the newest changes are all among the newest of these. */
export async function findTimeline(db: Db, org_id: number, item: Item, { page, limit }: TimelineQuery) {
  const last = page * limit
  const read = await db.all<Read>(sql`
    SELECT v.*, c.seq, c.at, c.kind, c.source, c.detail
    FROM (${newestVulns(org_id, item, Math.min(last + 1, maxVulns))}) v
    LEFT JOIN vuln_changes c ON c.seq IN (
      SELECT seq FROM vuln_changes x WHERE x.vuln_id = v.vuln_id ORDER BY seq DESC LIMIT ${maxChanges}
    )`)
  const entries = read.toSorted((a, b) => compare(entryDate(b), entryDate(a)) || (b.seq ?? 0) - (a.seq ?? 0))
  const results = entries.slice(last - limit, last).map(toEntry)
  return { results, count: Math.min(entries.length, last + 1), count_is_exact: entries.length <= last }
}

function newestVulns(org_id: number, item: { product?: number; vendor?: number; package?: number }, count: number) {
  const links = newestLinks(item)
  if (!links) throw new Error('A timeline is of a product, a vendor or a package')
  const where = links.where ? sql`WHERE ${links.where}` : sql``
  const order = links.orderBy.length ? sql`ORDER BY ${sql.join(links.orderBy, sql`, `)}` : sql``
  const shared = sql`SELECT l.vuln_id FROM ${links.from} ${where} ${order} LIMIT ${count}`
  return sql`
    SELECT v.id AS vuln_id, v.cveid, substr(v.summary, 1, 400) AS summary, v.score, ${isProvisional} AS is_provisional, v.updated_at
    FROM (SELECT * FROM (${shared}) UNION ALL ${ownLinks(org_id, item)}) l CROSS JOIN vulns v WHERE v.id = l.vuln_id`
}

const entryDate = ({ at, updated_at }: Read) => at ?? formatSeconds(updated_at)
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

function toEntry(read: Read): TimelineEntry {
  const { vuln_id, cveid, summary, score, is_provisional, seq, kind, source, detail } = read
  const shown = knownId(cveid)
  const vuln = { id: vuln_id, cveid: shown, summary, score, is_score_provisional: is_provisional === 1 }
  const date = entryDate(read)
  // A vulnerability of a first load that has not changed since has no entry in the log.
  if (kind === null || detail === null)
    return {
      id: `v${vuln_id}`,
      date,
      vuln,
      reason: 'Changed at its source',
      changes: [],
      source: source ?? 'first load',
    }
  const changes = (JSON.parse(detail) as VulnChange[]).map(describeChange)
  return { id: `c${seq}`, date, vuln, reason: changeReasons[kind], changes, source: source ?? '' }
}
