import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { Records } from '../domain/merge'
import type { Source, VulnRecord } from '../domain/record'
import { nameOf, splitName } from '../vulns/derive'
import type { Derived, ProductRanges, Ranges } from '../vulns/derive'

export type Known = { id: number; hash: string | null; modified: string | null }

/** Which of these CVEs are here, with the hash of what the source said last; and the version of the knowledge base. */
export async function readHashes(db: Db, source: Source, cveids: string[]) {
  const [version, ...rows] = await db.$client.batch<Record<string, unknown>>([
    db.$client.prepare("SELECT value FROM counters WHERE name = 'kb_version'"),
    ...bulk(
      db,
      `SELECT v.cveid, v.id, r.hash, r.modified FROM json_each(?1) j JOIN vulns v ON v.cveid = j.value
       LEFT JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ?2`,
      cveids,
      source,
    ),
  ])
  const known = rowsOf<Known & { cveid: string }>(rows)
  const kb_version = Number(version?.results[0]?.value)
  return { kb_version, byCve: new Map(known.map(({ cveid, ...one }): [string, Known] => [cveid, one])) }
}

export type Epss = { epss: number; percentile: number }

export type Before = { id: number; derived: Derived; records: Records; products: ProductRanges }

export type State = {
  vulns: Map<string, Before>
  /** Ids of the products that are named, by vendor and product. */
  products: Map<string, number>
  epss: Map<string, Epss>
}

/** All that merging these records into the knowledge base depends on. */
export async function readState(
  db: Db,
  known: Map<string, Known>,
  fresh: { record: VulnRecord; ranges: Map<string, unknown> }[],
): Promise<State> {
  const ids = fresh.flatMap(({ record }) => known.get(record.cveid)?.id ?? [])
  const created = fresh.map(({ record }) => record.cveid).filter((cveid) => !known.has(cveid))
  const named = new Set(fresh.flatMap(({ ranges }) => [...ranges.keys()]))

  const inIds = 'IN (SELECT value FROM json_each(?1))'
  const groups = [
    bulk(db, `SELECT * FROM vulns WHERE id ${inIds}`, ids),
    bulk(db, `SELECT vuln_id, source, body FROM vuln_records WHERE vuln_id ${inIds}`, ids),
    bulk(
      db,
      `SELECT a.vuln_id, a.product_id, p.vendor, p.name, a.source, a.ranges, json_array_length(a.ranges) AS count FROM affected a
       JOIN products p ON p.id = a.product_id WHERE a.vuln_id ${inIds}`,
      ids,
    ),
    bulk(db, `SELECT cveid, epss, percentile FROM epss_scores WHERE cveid ${inIds}`, created),
    bulk(
      db,
      `SELECT p.id, p.vendor, p.name FROM json_each(?1) j JOIN vendors v ON v.name = j.value->>0
       JOIN products p ON p.vendor_id = v.id AND p.name = j.value->>1`,
      [...named].map((name) => splitName(name)),
    ),
  ]
  const statements = groups.flat()
  const answers = statements.length ? await db.$client.batch<Record<string, unknown>>(statements) : []
  let at = 0
  const [vulns, records, affected, epss, products] = groups.map((group) => answers.slice(at, (at += group.length)))

  const state: State = { vulns: new Map(), products: new Map(), epss: new Map() }
  const byId = new Map<number, Before>()
  for (const row of rowsOf<Row>(vulns)) {
    const before: Before = { id: row.id, derived: withFlags(row), records: {}, products: new Map() }
    byId.set(row.id, before)
    state.vulns.set(row.cveid, before)
  }
  for (const { vuln_id, source, body } of rowsOf<{ vuln_id: number; source: Source; body: string }>(records)) {
    const before = byId.get(vuln_id)
    if (before) before.records[source] = JSON.parse(body) as VulnRecord
  }
  for (const row of rowsOf<AffectedRow>(affected)) {
    const name = nameOf(row.vendor, row.name)
    state.products.set(name, row.product_id)
    const before = byId.get(row.vuln_id)
    if (before) before.products.set(name, withSource(before.products.get(name), row))
  }
  for (const row of rowsOf<{ id: number; vendor: string; name: string }>(products))
    state.products.set(nameOf(row.vendor, row.name), row.id)
  for (const { cveid, ...scores } of rowsOf<Epss & { cveid: string }>(epss)) state.epss.set(cveid, scores)
  return state
}

const withSource = (bySource: Map<string, Ranges> | undefined, { source, ranges, count }: AffectedRow) =>
  (bySource ?? new Map<string, Ranges>()).set(source, { json: ranges, count })

type Row = Derived & { id: number }
type AffectedRow = {
  vuln_id: number
  product_id: number
  vendor: string
  name: string
  source: string
  ranges: string
  count: number
}

// SQLite keeps booleans as numbers.
function withFlags(row: Row): Row {
  const { is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild } = row
  return {
    ...row,
    is_exploitable: Boolean(is_exploitable),
    is_confirmed: Boolean(is_confirmed),
    is_in_the_news: Boolean(is_in_the_news),
    is_in_the_wild: Boolean(is_in_the_wild),
  }
}

const rowsOf = <Read>(answers: D1Result<Record<string, unknown>>[] = []) =>
  answers.flatMap(({ results }) => results as Read[])
