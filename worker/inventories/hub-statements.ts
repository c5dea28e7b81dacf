import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal } from '../db/values'
import type { VexStatus } from '../domain/decisions/vex'
import { joinSome } from '../domain/words/short-lists'
import type { Unapplied } from './proposal-contract'
import { hubTables, isNamed } from './hub-proposals'
import { requireInventory } from './inventory'

/** The newest, a look for each. */
const maxStatements = 500

type Component = { purl: string | null; version: string | null }
type Row = {
  product: string
  parts: string
  vuln: string
  author: string
  status: VexStatus
  said_at: string | null
  /** JSON of the components that may be the product, and of those in which the vulnerability was found. */
  here: string
  found: string
}

/** Statements of hubs on products of an inventory that propose nothing, each with the reason. */
export async function findUnapplied(db: Db, org_id: number, name: string): Promise<Unapplied> {
  const { id } = await requireInventory(db, org_id, name)
  const rows = await db.all<Row>(sql`
    WITH ${hubTables(org_id, id)}
    SELECT t.product, t.parts, t.vuln, t.author, t.status, t.said_at,
      (SELECT json_group_array(json_object('purl', h.here, 'version', h.version)) FROM hub h WHERE h.type = t.type AND h.name = t.name) AS here,
      (SELECT json_group_array(json_object('purl', c.purl, 'version', c.version)) FROM (
        SELECT w.id FROM json_each(t.vulns) n CROSS JOIN vulns w ON w.cveid = n.value
        UNION SELECT a.vuln_id FROM json_each(t.vulns) n CROSS JOIN vuln_aliases a ON a.alias = n.value) w
        CROSS JOIN inventory_findings f ON f.org_id = ${org_id} AND f.inventory_id = ${id} AND f.vuln_id = w.id
        CROSS JOIN inventory_components c ON c.org_id = f.org_id AND c.inventory_id = f.inventory_id AND c.id = f.component_id) AS found
    FROM (SELECT DISTINCT type, name FROM hub) p CROSS JOIN vex_statements t ON t.type = p.type AND t.name = p.name
    WHERE t.vuln = t.vulns ->> 0 ORDER BY t.said_at DESC, t.location, t.place LIMIT ${literal(maxStatements + 1)}`)
  const told = new Set<string>()
  const judged = rows.slice(0, maxStatements).map(({ vuln, product, author, status, said_at, ...row }) => {
    const statement = { vuln, product, author, status, said_at }
    return { ...statement, reason: findReason({ ...row, ...statement }, told) }
  })
  const statements = judged.flatMap(({ reason, ...one }) => (reason === null ? [] : [{ ...one, reason }]))
  return { statements, applied: judged.length - statements.length, is_complete: rows.length <= maxStatements }
}

/** Null where it proposes something; `told` holds what newer ones propose. */
function findReason({ product, vuln, author, said_at, ...row }: Row, told: Set<string>) {
  const [here, found] = [JSON.parse(row.here) as Component[], JSON.parse(row.found) as Component[]]
  const parts = JSON.parse(row.parts) as string[]
  if (said_at === null) return 'It bears no date'
  const meant = here.filter((one) => isNamed(one, product))
  if (!meant.length) return `It speaks of ${product}, and here is ${joinSome(here.map(nameComponent), 3)}`
  if (!found.length) return 'This vulnerability was found in nothing here'
  const names = parts.length ? parts : meant.flatMap(({ purl }) => purl ?? [])
  const fitting = found.filter((one) => names.some((part) => isNamed(one, part)))
  if (!fitting.length) return `It is about ${joinSome(names, 3)}, and the vulnerability was found in other components`
  const keys = fitting.map((one) => JSON.stringify([author, product, vuln, one.purl]))
  if (keys.every((key) => told.has(key))) return 'A newer statement of its author stands in its place'
  for (const key of keys) told.add(key)
  return null
}

const nameComponent = ({ purl, version }: Component) => purl ?? version ?? 'a component without a version'
