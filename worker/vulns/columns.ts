import { createHash } from 'node:crypto'
import { getTableColumns, sql, type SQL } from 'drizzle-orm'
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

const { org_id: _org, access: _access, impact: _impact, keywords: _keywords, ...columns } = getTableColumns(vulns)

export const vulnColumns = (org_id: number) => ({
  ...columns,
  due: dueDay(org_id).as('due'),
  monitored: isMonitored(org_id).as('monitored'),
  run_verdict: runVerdict(org_id).as('run_verdict'),
})

type Read = Omit<typeof vulns.$inferSelect, 'org_id' | 'access' | 'impact' | 'keywords'> &
  Pick<VulnRow, 'due' | 'monitored' | 'run_verdict'>

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
