import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { formatSeconds } from '../../db/time'
import { knownId } from '../../domain/names/cve'
import { describeChange, type VulnChange, type ChangeKind } from '../../domain/alerts/change'
import type { WatchedKind } from '../../domain/names/watch-item'
import { compareText } from '../../domain/versions/orders/order'
import { isProvisional } from '../../schema/vulns'
import { changeReasons } from '../../vulns/detail/history'
import { itemTables } from '../../watchlist/item-tables'
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

type Item = { kind: Exclude<WatchedKind, 'vuln'>; id: number }

/** Newest first. An item lists its vulnerabilities by their newest change, so the newest changes are all among the newest of these. */
export async function findTimeline(db: Db, org_id: number, item: Item, { page, limit }: TimelineQuery) {
  const last = page * limit
  const read = await db.all<Read>(sql`
    SELECT v.*, c.seq, c.at, c.kind, c.source, c.detail
    FROM (${newestVulns(org_id, item, Math.min(last + 1, maxVulns))}) v
    LEFT JOIN vuln_changes c ON c.seq IN (
      SELECT seq FROM vuln_changes x WHERE x.vuln_id = v.vuln_id ORDER BY seq DESC LIMIT ${maxChanges}
    )`)
  const entries = read.toSorted((a, b) => compareText(entryDate(b), entryDate(a)) || (b.seq ?? 0) - (a.seq ?? 0))
  const results = entries.slice(last - limit, last).map(toEntry)
  return { results, count: Math.min(entries.length, last + 1), count_is_exact: entries.length <= last }
}

/** Newest change first, so that a page reads no more links than it shows. */
function newestVulns(org_id: number, { kind, id }: Item, count: number) {
  const { links, id: column } = itemTables[kind]
  const shared =
    kind === 'vendor'
      ? walkVendor(id, count)
      : sql`SELECT l.vuln_id FROM ${links} l WHERE l.org_id IS NULL AND l.${column} = ${id}
          ORDER BY l.touched DESC, l.vuln_id DESC LIMIT ${count}`
  const privateVulns = sql`SELECT DISTINCT l.vuln_id FROM vulns o INDEXED BY vulns_by_org CROSS JOIN ${links} l ON l.vuln_id = o.id
    WHERE o.org_id = ${org_id} AND l.${column} = ${id}`
  return sql`
    SELECT v.id AS vuln_id, v.cveid, substr(v.summary, 1, 400) AS summary, v.score, ${isProvisional} AS is_provisional, v.updated_at
    FROM (SELECT * FROM (${shared}) UNION ALL ${privateVulns}) l CROSS JOIN vulns v WHERE v.id = l.vuln_id`
}

// A vulnerability can have hundreds of products of one vendor: each step jumps over them to the next vulnerability. The
// additions of 0 let SQLite seek by both columns, which it does not by the columns of a recursive table.
const walkVendor = (vendor: number, count: number) => sql`
  WITH RECURSIVE walk(touched, vuln_id) AS (
    SELECT * FROM (
      SELECT touched, vuln_id FROM vuln_products WHERE vendor_id = ${vendor} AND org_id IS NULL ORDER BY touched DESC, vuln_id DESC LIMIT 1
    )
    UNION ALL
    SELECT next.touched, next.vuln_id FROM walk w CROSS JOIN vuln_products next
    WHERE (next.vuln_id, next.product_id) = (
      SELECT n.vuln_id, n.product_id FROM vuln_products n
      WHERE n.vendor_id = ${vendor} AND n.org_id IS NULL AND (n.touched, n.vuln_id) < (w.touched + 0, w.vuln_id + 0)
      ORDER BY n.touched DESC, n.vuln_id DESC LIMIT 1
    )
  ) SELECT vuln_id FROM walk LIMIT ${count}`

const entryDate = ({ at, updated_at }: Read) => at ?? formatSeconds(updated_at)

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
