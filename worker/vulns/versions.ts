import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parseCpe, versionlessInCpe } from '../domain/names/cpe'
import { completeCpe } from '../domain/query/values'
import type { AffectedStatus } from '../domain/versions/affected-status'
import { compileStatements, type GroupedRow } from '../exposure/compile'
import { shared } from '../schema/vulns'
import { versionWindow, type VulnFilters } from './contract'
import { productsNamed, productsOfCpe, vendorsNamed } from './names'

/** How far to read: for a screen, for a client's list, or for an export of everything. */
export type Depth = 'page' | 'list' | 'all'
/** The result for the `judged` newest vulnerabilities; `isCut` if there are more, `unknown` counts those that could not be judged. */
export type Affecting = { ids: number[]; unknown: number; isCut: boolean; judged: number }

/** `rows` selects the shared links of a window, newest first, and `beyond` something if there are more; `areOwn` tests private ones. */
type Links = { rows: (window: SQL) => SQL; beyond: (end: number) => SQL; areOwn: SQL }
type Question = { org_id: number; version: string; links: Links }
type Read = GroupedRow & { product_id: number }

/** A CPE name can be one of many conditions, so a page judges only this many windows of its product. */
const cpeWindows = 4
/** Windows that are read at a time, and the most links in all. */
const chunk = { windows: 7, links: 10_000 }
/** A product's name without its vendor's can be that of several. */
const maxProducts = 5

/** Undefined for a CPE name without a version. */
export async function findAffectingCpe(db: Db, org_id: number, cpe: string, depth: Depth) {
  const version = versionInCpe(cpe)
  if (!version) return undefined
  const question = { org_id, version, links: linksOfProducts(productsOfCpe(cpe)) }
  return depth === 'all'
    ? findAll(db, question)
    : findAffecting(db, question, depth === 'page' ? cpeWindows : undefined)
}

/** Without a product it looks at a vendor's products, or at all; undefined without a version. */
export async function findOfVersion(db: Db, org_id: number, filters: VulnFilters, depth: Depth) {
  const { product_version: version, version_window: window } = filters
  if (!version) return undefined
  const question = { org_id, version, links: findLinks(filters) }
  if (window !== undefined) return findAffecting(db, question, 1, window)
  return depth === 'all' ? findAll(db, question) : findAffecting(db, question, depth === 'page' ? 1 : undefined)
}

function findLinks({ product, product_name, vendor, vendor_name }: VulnFilters): Links {
  if (product !== undefined) return linksOfProducts(sql`SELECT ${product} AS id`)
  if (product_name)
    return linksOfProducts(productsNamed('eq', vendor_name ? `${vendor_name}:${product_name}` : product_name))
  if (vendor !== undefined) return linksOfVendors(sql`SELECT ${vendor} AS id`)
  return vendor_name ? linksOfVendors(vendorsNamed('eq', vendor_name)) : newestLinks
}

function linksOfProducts(products: SQL): Links {
  const known = sql`SELECT DISTINCT p.id FROM (${products}) n CROSS JOIN products p ON p.id = n.id ORDER BY p.id`
  const ids = sql`(${known} LIMIT ${maxProducts})`
  const newest = (window: SQL) =>
    sql`SELECT vuln_id FROM vuln_products WHERE product_id = p.id AND org_id IS NULL ORDER BY touched DESC, vuln_id DESC ${window}`
  return {
    rows: (window) =>
      sql`SELECT p.id AS product_id, l.vuln_id FROM ${ids} p CROSS JOIN vuln_products l ON l.product_id = p.id AND l.vuln_id IN (${newest(window)})`,
    beyond: (end) =>
      sql`SELECT 1 FROM ${ids} p WHERE EXISTS (${newest(sql`LIMIT 1 OFFSET ${end}`)}) UNION ALL SELECT 1 FROM (${known} LIMIT 1 OFFSET ${maxProducts})`,
    areOwn: sql`a.product_id IN ${ids}`,
  }
}

function linksOfVendors(vendors: SQL): Links {
  const rows = (window: SQL) =>
    sql`SELECT product_id, vuln_id FROM vuln_products WHERE org_id IS NULL AND vendor_id IN (${vendors}) ${window}`
  return { rows, beyond: (end) => rows(sql`LIMIT 1 OFFSET ${end}`), areOwn: sql`TRUE` }
}

const newestVulns = (window: SQL) =>
  sql`SELECT id FROM vulns INDEXED BY vulns_by_updated WHERE ${shared} ORDER BY updated_at DESC, id DESC ${window}`

const newestLinks: Links = {
  rows: (window) =>
    sql`SELECT DISTINCT a.product_id, a.vuln_id FROM (${newestVulns(window)}) v CROSS JOIN affected a ON a.vuln_id = v.id`,
  beyond: (end) => newestVulns(sql`LIMIT 1 OFFSET ${end}`),
  areOwn: sql`TRUE`,
}

/** The version with its update behind it, as vendors write both; undefined for any version. */
function versionInCpe(text: string) {
  const cpe = parseCpe(completeCpe(text))
  if (!cpe || cpe.product === '*' || cpe.version === '*') return undefined
  if (cpe.version === '-') return versionlessInCpe(cpe) ?? undefined
  return ['*', '-'].includes(cpe.update) ? cpe.version : `${cpe.version}${cpe.update}`
}

async function findAll(db: Db, question: Question): Promise<Affecting> {
  const ids = new Set<number>()
  let unknown = 0
  for (let window = 1; ; window += chunk.windows) {
    const found = await findAffecting(db, question, chunk.windows, window)
    for (const id of found.ids) ids.add(id)
    unknown += found.unknown
    if (!found.isCut || found.judged >= chunk.links) return { ...found, ids: [...ids], unknown }
  }
}

/**
 * Windows count from 1, which holds the newest links. Ranges are evaluated, never compared as text; a product named without versions
 * is affected.
 */
async function findAffecting(db: Db, question: Question, windows = chunk.windows, window = 1): Promise<Affecting> {
  const { org_id, version, links } = question
  const [limit, offset] = [versionWindow * windows, (window - 1) * versionWindow]
  const privateLinks = sql`SELECT DISTINCT a.product_id, a.vuln_id FROM vulns o INDEXED BY vulns_by_org CROSS JOIN affected a ON a.vuln_id = o.id
    WHERE o.org_id = ${org_id} AND ${links.areOwn}`
  const [rows, ownRows, beyond] = await Promise.all([
    findRanges(db, links.rows(sql`LIMIT ${limit} OFFSET ${offset}`)),
    findRanges(db, privateLinks),
    db.all(sql`SELECT 1 FROM (${links.beyond(offset + limit)}) LIMIT 1`),
  ])
  return { ...judge(version, [...rows, ...ownRows]), isCut: beyond.length > 0, judged: offset + limit }
}

// Many vulnerabilities share the same ranges: grouped, each is transferred and judged once.
const findRanges = (db: Db, links: SQL) =>
  db.all<Read>(sql`
    SELECT a.product_id, a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids FROM (${links}) l
    CROSS JOIN affected a ON a.vuln_id = l.vuln_id AND a.product_id = l.product_id GROUP BY 1, 2, 3`)

function judge(version: string, rows: Read[]) {
  const byProduct = [...Map.groupBy(rows, ({ product_id }) => product_id).values()]
  const decided = byProduct.flatMap((rowsOfProduct) =>
    compileStatements(rowsOfProduct, { name: `product ${rowsOfProduct[0]?.product_id}` }).judge({ version }),
  )
  const withStatus = (wanted: AffectedStatus) =>
    new Set(decided.flatMap(([{ vuln_ids }, { status }]) => (status === wanted ? vuln_ids : [])))
  // A product that is named without versions may be affected in this one.
  const namedOnly = decided.flatMap(([{ vuln_ids }, { status, confidence }]) =>
    status === 'unknown' && confidence === 'name_only' ? vuln_ids : [],
  )
  const affecting = new Set([...withStatus('affected'), ...namedOnly])
  return { ids: [...affecting], unknown: [...withStatus('unknown')].filter((id) => !affecting.has(id)).length }
}
