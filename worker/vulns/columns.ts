import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isCveId, knownId, parsePrivateName } from '../domain/names/cve'
import { parseAccess, parseImpact } from '../domain/scores/cvss'
import { findUnknownFlags } from '../domain/scores/flags'
import { formatMoment } from '../domain/words/moment'
import { isScoreProvisional } from '../domain/scores/score'
import { dueDay } from '../watchlist/due-days'
import { isMonitored, runVerdict } from '../watchlist/monitored'
import type { VulnRow } from './contract'
import { vulns } from '../schema/vulns'

export const vulnColumns = (org_id: number) => ({
  id: vulns.id,
  cveid: vulns.cveid,
  state: vulns.state,
  title: vulns.title,
  summary: vulns.summary,
  published: vulns.published,
  modified: vulns.modified,
  assigner: vulns.assigner,
  cvss: vulns.cvss,
  cvss_vector: vulns.cvss_vector,
  cvss3: vulns.cvss3,
  cvss3_vector: vulns.cvss3_vector,
  cvss4: vulns.cvss4,
  cvss4_vector: vulns.cvss4_vector,
  cwe_id: vulns.cwe_id,
  is_exploitable: vulns.is_exploitable,
  is_confirmed: vulns.is_confirmed,
  is_in_the_news: vulns.is_in_the_news,
  is_in_the_wild: vulns.is_in_the_wild,
  is_malicious: vulns.is_malicious,
  ssvc: vulns.ssvc,
  exploit_count: vulns.exploit_count,
  exploit_metrics: vulns.exploit_metrics,
  exploit_published: vulns.exploit_published,
  threat_activity_count: vulns.threat_activity_count,
  cpe_count: vulns.cpe_count,
  product_count: vulns.product_count,
  package_count: vulns.package_count,
  score: vulns.score,
  epss: vulns.epss,
  epss_percentile: vulns.epss_percentile,
  kev_added_at: vulns.kev_added_at,
  kev_due_at: vulns.kev_due_at,
  kev_ransomware: vulns.kev_ransomware,
  top_products: vulns.top_products,
  created_at: vulns.created_at,
  updated_at: vulns.updated_at,
  due: dueDay(org_id).as('due'),
  monitored: isMonitored(org_id).as('monitored'),
  run_verdict: runVerdict(org_id).as('run_verdict'),
})

type Computed =
  | 'uuid'
  | 'known_as'
  | 'scope'
  | 'access'
  | 'impact'
  | 'kev'
  | 'products'
  | 'is_score_provisional'
  | 'unknown_flags'
type Texts = 'cvss_vector' | 'cvss3_vector' | 'cvss4_vector' | 'cwe_id'
type Read = Omit<VulnRow, Computed | Texts> & {
  [Text in Texts]: string | null
} & {
  ssvc: string | null
  kev_added_at: string | null
  kev_due_at: string | null
  kev_ransomware: boolean | null
  top_products: string
  exploit_metrics: string | null
  exploit_published: string | null
}

export function toRow(read: Read): VulnRow {
  const {
    kev_added_at,
    kev_due_at,
    kev_ransomware,
    top_products,
    ssvc,
    exploit_metrics: _,
    exploit_published: __,
    ...row
  } = read
  const vector = row.cvss_vector ?? row.cvss3_vector ?? row.cvss4_vector
  const products = JSON.parse(top_products) as [number, string, string][]
  const { cveid } = row
  return {
    ...row,
    published: formatMoment(row.published),
    modified: formatMoment(row.modified),
    is_score_provisional: isScoreProvisional(row),
    unknown_flags: findUnknownFlags(row, ssvc),
    cvss_vector: row.cvss_vector ?? '',
    cvss3_vector: row.cvss3_vector ?? '',
    cvss4_vector: row.cvss4_vector ?? '',
    cwe_id: row.cwe_id ?? '',
    // For an advisory without a CVE, or a private vulnerability, `cveid` holds another name.
    cveid: cveid !== null && isCveId(cveid) ? cveid : null,
    known_as: knownId(cveid) ?? `PH-${row.id}`,
    scope: cveid !== null && parsePrivateName(cveid) !== null ? 'private' : 'public',
    uuid: toUuid(cveid ?? `PH-${row.id}`),
    access: parseAccess(vector),
    impact: parseImpact(vector),
    kev: kev_added_at === null ? null : { added: kev_added_at, due: kev_due_at, ransomware: kev_ransomware ?? false },
    products: products.map(([id, vendor, name]) => ({ id, vendor, name })),
  }
}

const namespace = Buffer.from('6f1c2d0a4e3b4c58a9d7e2b1f0c3a596', 'hex')

/** Version 5 of RFC 9562: the same wherever the vulnerability is loaded again. */
export function toUuid(name: string) {
  const hex = createHash('sha1').update(namespace).update(name).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-')
}

/** In the order of a table of `item`. */
export const findVulnRows = async (db: Db, org_id: number, items: SQL) =>
  (await readVulnPage(db, org_id, sql`(SELECT item, NULL AS total FROM ${items})`)).rows

/** The `told` of each vulnerability by a query of `item` and `told`, in JSON, beside its row; the row is null where `item` is. */
export async function findChosen<Told>(db: Db, org_id: number, chosen: SQL) {
  const found = await selectBeside(db, org_id, sql`(${chosen})`, sql<string>`j.told`)
  return found.map(({ row, beside }) => ({ row: row && toRow(row), told: JSON.parse(beside) as Told }))
}

/** The rows of a table of `item`, and the `total` in its last row. */
export async function readVulnPage(db: Db, org_id: number, page: SQL) {
  const found = await selectBeside(db, org_id, page, sql<number | null>`j.total`)
  return { rows: found.flatMap(({ row }) => (row ? toRow(row) : [])), total: found.at(-1)?.beside ?? null }
}

const selectBeside = <Beside>(db: Db, org_id: number, from: SQL, beside: SQL<Beside>) =>
  db
    .select({ row: vulnColumns(org_id), beside: beside.as('beside') })
    .from(sql`${from} j`)
    .leftJoin(vulns, sql`vulns.id = j.item`)
