import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import type { AffectedStatus } from '../../domain/versions/affected-status'
import { compileStatements } from '../../exposure/compile'
import type { GroupedRow } from '../../exposure/compile'
import { shared as isShared } from '../../schema/vulns'
import { versionWindow } from '../contract'

/** Windows count from 1, which holds a product's newest links. */
export type Windows = { version: string; org_id: number; window: number; windows?: number }
/** How far to read: for a screen, for a client's list, or for an export of everything. */
export type Depth = 'page' | 'list' | 'all'
type Read = GroupedRow & { product_id: number }

/** The result for the `judged` newest vulnerabilities; `isCut` if there are more, `unknown` counts those that could not be judged. */
export type Affecting = { ids: number[]; unknown: number; isCut: boolean; judged: number }

/** A product's name without its vendor's can be that of several. */
const maxProducts = 5

/** `products` are rows of `id`. Ranges are evaluated, never compared as text; a product named without versions is affected. */
export async function findAffecting(db: Db, products: SQL, request: Windows): Promise<Affecting> {
  const { version, org_id, window, windows = 1 } = request
  const [limit, offset] = [versionWindow * windows, (window - 1) * versionWindow]
  const isBeyond = sql`EXISTS (SELECT 1 FROM vuln_products WHERE product_id = p.id AND org_id IS NULL
    ORDER BY touched DESC, vuln_id DESC LIMIT 1 OFFSET ${offset + limit})`
  const found = await db.all<{ id: number; is_cut: 0 | 1 }>(sql`
    SELECT DISTINCT p.id, ${isBeyond} AS is_cut FROM (${products}) n CROSS JOIN products p ON p.id = n.id ORDER BY p.id LIMIT ${maxProducts + 1}`)
  const judged = found.slice(0, maxProducts)
  const ids = sql`(SELECT item AS id FROM ${valuesTable(judged.map(({ id }) => id))})`
  const shared = sql`SELECT p.id AS product_id, l.vuln_id FROM ${ids} p CROSS JOIN vuln_products l ON l.product_id = p.id
    AND l.vuln_id IN (SELECT vuln_id FROM vuln_products WHERE product_id = p.id AND org_id IS NULL
      ORDER BY touched DESC, vuln_id DESC LIMIT ${limit} OFFSET ${offset})`
  const own = sql`SELECT l.product_id, l.vuln_id FROM vulns o INDEXED BY vulns_by_org CROSS JOIN vuln_products l ON l.vuln_id = o.id
    WHERE o.org_id = ${org_id} AND l.product_id IN ${ids}`
  const rows = await Promise.all([findRanges(db, shared), findRanges(db, own)])
  const isCut = found.length > maxProducts || judged.some(({ is_cut }) => is_cut === 1)
  return { ...judge(version, rows.flat()), isCut, judged: offset + limit }
}

/** Reads `windows` at a time, and at most `links` in all. */
export const chunk = { windows: 7, links: 10_000 }

export async function findAllAffecting(
  find: (request: Windows) => Promise<Affecting>,
  named: Pick<Windows, 'version' | 'org_id'>,
): Promise<Affecting> {
  const ids = new Set<number>()
  let unknown = 0
  for (let window = 1; ; window += chunk.windows) {
    const found = await find({ ...named, window, windows: chunk.windows })
    for (const id of found.ids) ids.add(id)
    unknown += found.unknown
    if (!found.isCut || found.judged >= chunk.links) return { ...found, ids: [...ids], unknown }
  }
}

/** Of any product, or of a vendor's; `vendors` are rows of `id`. */
export async function findAffectingAny(db: Db, vendors: SQL | undefined, request: Windows): Promise<Affecting> {
  const { version, org_id, window, windows = 1 } = request
  const [limit, offset] = [versionWindow * windows, (window - 1) * versionWindow]
  const links = vendors
    ? sql`SELECT product_id, vuln_id FROM vuln_products WHERE org_id IS NULL AND vendor_id IN (${vendors}) LIMIT ${limit} OFFSET ${offset}`
    : sql`SELECT DISTINCT a.product_id, a.vuln_id FROM (SELECT id FROM vulns INDEXED BY vulns_by_updated WHERE ${isShared}
        ORDER BY updated_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) v CROSS JOIN affected a ON a.vuln_id = v.id`
  const own = sql`SELECT DISTINCT a.product_id, a.vuln_id FROM vulns o INDEXED BY vulns_by_org CROSS JOIN affected a ON a.vuln_id = o.id
    WHERE o.org_id = ${org_id}`
  const [rows, ownRows, known] = await Promise.all([
    findRanges(db, links),
    findRanges(db, own),
    db.all<{ found: number }>(
      vendors
        ? sql`SELECT count(*) AS found FROM (${links})`
        : sql`SELECT count(*) AS found FROM (SELECT 1 FROM vulns INDEXED BY vulns_by_updated WHERE ${isShared} LIMIT ${limit} OFFSET ${offset})`,
    ),
  ])
  return { ...judge(version, [...rows, ...ownRows]), isCut: known[0]?.found === limit, judged: offset + limit }
}

// Many vulnerabilities share the same ranges: grouped, each is transferred and judged once.
const findRanges = (db: Db, links: SQL) =>
  db.all<Read>(sql`
    SELECT a.product_id, a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids FROM (${links}) l
    CROSS JOIN affected a ON a.vuln_id = l.vuln_id AND a.product_id = l.product_id GROUP BY 1, 2, 3`)

function judge(version: string, rows: Read[]) {
  const byProduct = [...Map.groupBy(rows, ({ product_id }) => product_id).values()]
  const decided = byProduct.flatMap((own) =>
    compileStatements(own, { name: `product ${own[0]?.product_id}` }).judge({ version }),
  )
  const withStatus = (wanted: AffectedStatus) =>
    new Set(decided.flatMap(([{ vuln_ids }, { status }]) => (status === wanted ? vuln_ids : [])))
  // What is named without any version may affect this one.
  const namedOnly = decided.flatMap(([{ vuln_ids }, { status, confidence }]) =>
    status === 'unknown' && confidence === 'name_only' ? vuln_ids : [],
  )
  const affecting = new Set([...withStatus('affected'), ...namedOnly])
  return { ids: [...affecting], unknown: [...withStatus('unknown')].filter((id) => !affecting.has(id)).length }
}
