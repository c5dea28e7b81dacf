import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { cpeFromTail } from '../domain/names/cpe'
import { isCveId } from '../domain/names/cve'
import { watchedKinds } from '../domain/names/watch-item'
import { unpackRanges } from '../domain/versions/stored-ranges'
import type { Inventory } from '../inventories/contract'
import { findInventories } from '../inventories/find-inventories'
import { unpackBody } from '../merge/record-body'
import { findWatched } from '../monitoring/export'
import { findGroupExposures } from '../watchlist/set-exposure'
import type { InputComponent, WrittenRecord } from './records'
import { toOwnKey, toReference } from './take-each'

export async function* readWatched(db: Db, org_id: number): AsyncGenerator<WrittenRecord[]> {
  yield* readOwnVulns(db, org_id)
  for (const inventory of await findInventories(db, org_id)) yield [await readInventory(db, org_id, inventory)]
  for (const type of watchedKinds) {
    const lines = await findWatched(db, org_id, type, { isWhole: true, nameVuln: toReference })
    yield lines.map((line) => ({ kind: 'watch' as const, ...line }))
  }
  yield (await findGroupExposures(db, org_id)).map((group) => ({ kind: 'group' as const, ...group }))
}

type OwnRow = { id: number; cveid: string; summary: string; body: string }
type NamedRow = { vuln_id: number; vendor: string; name: string; ranges: string }
const pageRows = 100

async function* readOwnVulns(db: Db, org_id: number): AsyncGenerator<WrittenRecord[]> {
  for (let after = 0; ;) {
    const ownVulns = sql`vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = 'manual' WHERE v.org_id = ${org_id} AND v.id > ${after}`
    const rows = await db.all<OwnRow>(
      sql`SELECT v.id, v.cveid, v.summary, hex(r.body) AS body FROM ${ownVulns} ORDER BY v.id LIMIT ${pageRows}`,
    )
    const last = rows.at(-1)
    if (!last) return
    const named = await db.all<NamedRow>(sql`
      SELECT a.vuln_id, p.vendor, p.name, a.ranges FROM (SELECT v.id FROM ${ownVulns} AND v.id <= ${last.id}) o
      CROSS JOIN affected a ON a.vuln_id = o.id AND a.source = 'manual' CROSS JOIN products p ON p.id = a.product_id`)
    const byVuln = Map.groupBy(named, ({ vuln_id }) => vuln_id)
    yield rows.map((row) => toOwnRecord(row, byVuln.get(row.id) ?? []))
    after = last.id
  }
}

function toOwnRecord({ cveid, summary, body }: OwnRow, named: NamedRow[]): WrittenRecord {
  const {
    aliases = [],
    published,
    cvss,
    cvss3,
    cwe_ids,
    references = [],
    flags,
    summary: own,
  } = unpackBody(body, summary)
  return {
    kind: 'own_vulnerability',
    key: toOwnKey(cveid),
    cve_id: aliases.find(isCveId),
    summary: own ?? summary,
    published: published?.replace(/\.\d+/, ''),
    cvss2: cvss?.score,
    cvss2_vector: cvss?.vector,
    cvss3: cvss3?.score,
    cvss3_vector: cvss3?.vector,
    cwe: cwe_ids?.[0],
    references: references.map(({ url }) => url),
    cpes: named.flatMap(({ vendor, name, ranges }) =>
      unpackRanges(ranges).flatMap((range) => (typeof range === 'string' ? [cpeFromTail(vendor, name, range)] : [])),
    ),
    ...flags,
  }
}

async function readInventory(db: Db, org_id: number, { id, ...inventory }: Inventory): Promise<WrittenRecord> {
  const { name, format, subject, publicly_exposed, is_own_product } = inventory
  const found = await db.all<Omit<InputComponent, 'path'> & { path: string }>(sql`
    SELECT key, name, version, purl, cpe, scope, licence, path FROM inventory_components
    WHERE org_id = ${org_id} AND inventory_id = ${id} ORDER BY id`)
  const components = found.map(({ path, ...component }) => ({ ...component, path: JSON.parse(path) as string[] }))
  return { kind: 'inventory', name, format, subject, publicly_exposed, is_own_product, components }
}
