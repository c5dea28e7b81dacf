import { sql } from 'drizzle-orm'
import type { WatchedKind } from '../domain/names/watch-item'
import { judgedKinds, type JudgedKind } from '../domain/versions/verdict'

const links = { product: sql`vuln_products`, package: sql`vuln_packages` }

/** Their rows `i`, and those `m` of watchlists with the column of the item's id. */
const named = (kind: WatchedKind) => ({
  items: sql.raw(`${kind}s`),
  watched: sql.raw(`monitored_${kind}s`),
  id: sql.raw(`${kind}_id`),
  isOn: sql.raw(kind === 'product' ? 'm.is_monitored = 1' : 'TRUE'),
  versions: sql.raw(isJudged(kind) ? 'm.versions' : 'NULL'),
})

export const isJudged = (kind: WatchedKind): kind is JudgedKind => judgedKinds.some((one) => one === kind)

/**
 * Of an item `i`: its name, the vendor of a product or the type of a package, the value by which a list names it (domain/names/watch-item), and
 * the links to its vulnerabilities; `isNamed` by the names of a row `j` ([key, name] or [key, first, name]).
 */
export const itemTables = {
  vendor: {
    ...named('vendor'),
    name: sql`i.name`,
    first: sql`NULL`,
    value: sql`i.name`,
    links: links.product,
    isNamed: sql`i.name = j.value->>1`,
  },
  product: {
    ...named('product'),
    name: sql`i.name`,
    first: sql`i.vendor`,
    value: sql`i.vendor || ':' || i.name`,
    isNamed: sql`i.vendor = j.value->>1 AND i.name = j.value->>2`,
    links: links.product,
  },
  package: {
    ...named('package'),
    name: sql`i.name`,
    first: sql`i.type`,
    value: sql`i.type || ':' || i.name`,
    isNamed: sql`i.type = j.value->>1 AND i.name = j.value->>2`,
    links: links.package,
  },
  vuln: {
    ...named('vuln'),
    name: sql`coalesce(i.cveid, '')`,
    first: sql`NULL`,
    value: sql`coalesce(i.cveid, 'PH-' || i.id)`,
    isNamed: sql`i.cveid = j.value->>1`,
  },
}

/** Labels or versions as they are stored. */
export const parseList = (json: string | null) => (json === null ? [] : (JSON.parse(json) as string[]))
