import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal } from '../db/values'
import type { VexStatus } from '../domain/decisions/vex'
import { joinSome } from '../domain/words/short-lists'
import { requireInventory } from './inventory'
import type { Unapplied } from './proposal-contract'
import { parsePurl } from '../domain/names/purl'
import { hubPrefix, type FindingDecision } from './finding-contract'

/** The newest statements on one vulnerability that may mean the products that are here. */
const maxRead = 200

/** False where the product bears a plain version that is not the one here: the rest of its purl is compared later. */
const mayBeHere = sql.raw(`(t.product NOT GLOB '*@[0-9]*' AND t.product NOT GLOB '*@v[0-9]*' OR t.product GLOB '*[%?#]*'
  OR instr(t.product, '@' || ltrim(h.version, 'v')) OR instr(t.product, '@v' || ltrim(h.version, 'v')) OR instr(h.here, substr(t.product, instr(t.product, '@'))))`)

/** Keys of the statements on the products of an inventory, by the vulnerability that one of its names means. */
export const hubTables = (org_id: number, inventory_id: number) =>
  sql`hub AS MATERIALIZED (SELECT DISTINCT m.first AS type, m.name, c.purl AS here, c.version FROM vex_documents d CROSS JOIN jsonb_each(d.products) p
      CROSS JOIN inventory_matches m ON m.kind = 'package' AND m.first = p.value->>0 AND m.name = p.value->>1
        AND m.org_id = ${org_id} AND m.inventory_id = ${inventory_id}
      CROSS JOIN inventory_components c ON c.org_id = m.org_id AND c.inventory_id = m.inventory_id AND c.id = m.component_id),
    said AS MATERIALIZED (
      SELECT w.id, h.here, h.version, t.type, t.name, t.vuln, t.location, t.place FROM hub h
        CROSS JOIN vex_statements t ON t.type = h.type AND t.name = h.name AND ${mayBeHere} CROSS JOIN vulns w ON w.cveid = t.vuln
      UNION ALL SELECT a.vuln_id, h.here, h.version, t.type, t.name, t.vuln, t.location, t.place FROM hub h
        CROSS JOIN vex_statements t ON t.type = h.type AND t.name = h.name AND ${mayBeHere} CROSS JOIN vuln_aliases a ON a.alias = t.vuln)`

/** JSON of what hubs say of a vulnerability `v` in those. */
export const hubJson = sql`(SELECT json_group_array(json_object('product', s.product, 'here', s.here, 'version', s.version, 'parts', json(s.parts),
    'author', s.author, 'status', s.status, 'justification', s.justification, 'note', s.note, 'said_at', s.said_at))
  FROM (SELECT t.*, k.here, k.version FROM said k CROSS JOIN vex_statements t ON t.type = k.type AND t.name = k.name AND t.vuln = k.vuln
      AND t.location = k.location AND t.place = k.place
    WHERE k.id = v.id AND t.said_at IS NOT NULL ORDER BY t.said_at DESC LIMIT ${sql.raw(String(maxRead))}) s)`

type HubSaid = Pick<FindingDecision, 'author' | 'justification' | 'note'> & {
  status: FindingDecision['status']
  product: string
  /** The component that may be the product. */
  here: string | null
  version: string | null
  parts: string[]
  said_at: string
}
type Component = { purl: string | null; version: string | null }

/** Statements of the hubs on a component, the newest of each author on each product; each counts in that product alone. */
export function findHubProposals(component: Component, json: string): FindingDecision[] {
  const proposals = new Map<string, FindingDecision>()
  for (const { product, here, version, parts, said_at, ...said } of JSON.parse(json) as HubSaid[]) {
    const author = `${hubPrefix} ${said.author.slice(0, 80)} on ${product}`.slice(0, 200)
    const isMeant = parts.length ? parts.some((part) => isNamed(component, part)) : isNamed(component, here ?? '')
    if (proposals.has(author) || !isMeant || !isNamed({ purl: here, version }, product)) continue
    const nothing = { fix: null, owner: null, expires_at: null, by: null, dismissed_at: null, dismissed_by: null }
    proposals.set(author, { ...said, ...nothing, author, decided_at: said_at })
  }
  return [...proposals.values()]
}

/** All parts of a purl must fit, and without a version it means all. */
function isNamed({ purl, version }: Component, name: string) {
  const [own, named] = [parsePurl(purl ?? ''), parsePurl(name)]
  if (!own || !named || own.type !== named.type || own.name !== named.name) return false
  const bare = (text: string | null) => (own.type === 'golang' ? text?.replace(/^v/, '') : text)
  return (
    (named.version === null || bare(named.version) === bare(own.version ?? version)) &&
    (named.subpath === null || named.subpath === own.subpath) &&
    [...named.qualifiers].every(([key, value]) => own.qualifiers.get(key) === value)
  )
}

/** One that was laid aside stays so while its author says the same. */
export function joinProposals(stored: FindingDecision[], hub: FindingDecision[]) {
  const known = new Map(stored.map((one) => [one.author, one]))
  const parts = ['status', 'justification', 'note'] as const
  return [
    ...stored.filter(({ author }) => author !== '' && !author.startsWith(hubPrefix)),
    ...hub.map((one) => {
      const old = known.get(one.author)
      const isSame = old && parts.every((part) => old[part] === one[part])
      return isSame ? { ...one, dismissed_at: old.dismissed_at, dismissed_by: old.dismissed_by } : one
    }),
  ]
}

/** The newest, a look for each. */
const maxStatements = 500

type StatementRow = {
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
  const rows = await db.all<StatementRow>(sql`
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
function findReason({ product, vuln, author, said_at, ...row }: StatementRow, told: Set<string>) {
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
