import { sql } from 'drizzle-orm'
import { parsePurl } from '../domain/names/purl'
import type { FindingDecision } from './finding-contract'

/** Statements of a hub are found on request; no document may speak in its name. */
export const hubPrefix = 'VEX Hub:'

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
export function isNamed({ purl, version }: Component, name: string) {
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
