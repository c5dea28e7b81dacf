import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { shared } from '../../schema/vulns'

/** A place in the order of the list, newest first: when a vulnerability was touched, in seconds, and its id. */
const idSpan = sql.raw(String(2 ** 28))

type Family = { newest: (item: SQL, condition?: SQL) => SQL; time: SQL; id: SQL }

const links = (list: SQL): Family => ({
  newest: (item, condition = sql`true`) =>
    sql`(select touched * ${idSpan} + vuln_id from ${list} = ${item} and ${condition} order by touched desc, vuln_id desc limit 1)`,
  time: sql`touched`,
  id: sql`vuln_id`,
})

const rows = (index: string, isItem: (item: SQL) => SQL): Family => ({
  newest: (item, condition = sql`true`) =>
    sql`(select updated_at * ${idSpan} + id from vulns indexed by ${sql.raw(index)} where ${isItem(item)} and ${shared} and ${condition}
      order by updated_at desc, id desc limit 1)`,
  time: sql`updated_at`,
  id: sql`id`,
})

const column = (name: string) => rows(`vulns_by_${name}`, (item) => sql`${sql.raw(name)} = ${item}`)

/** Lists that an index holds newest first, one for each item: of a product, of a score, or one alone of what is in KEV. */
const families = {
  product: links(sql`vuln_products where org_id is null and product_id`),
  vendor: links(sql`vuln_products where org_id is null and vendor_id`),
  package: links(sql`vuln_packages where org_id is null and package_id`),
  monitored: links(sql`org_vulns where org_id`),
  kev: rows('vulns_by_kev', () => sql`kev_added_at is not null`),
  exploitable: rows('vulns_by_exploitable', () => sql`is_exploitable = 1`),
  score: column('score'),
  cvss: column('cvss'),
  cvss3: column('cvss3'),
  cvss4: column('cvss4'),
}
export type FamilyName = keyof typeof families
const names = Object.keys(families) as FamilyName[]

/** Lists to merge: rows of `family`, `item` and `key`, the place of the newest vulnerability of each. */
export type SortedLists = { heads: SQL; families: FamilyName[] }

/** The lists of the items (rows of `id`) in one family. */
export const createLists = (name: FamilyName, ids: SQL): SortedLists => ({
  heads: sql`select ${number(name)} as family, i.id as item, ${families[name].newest(sql`i.id`)} as key from (select 0 as id where false union ${ids}) i`,
  families: [name],
})

/** D1 takes five parts of a union. */
const maxParts = 5

export const allLists = (lists: SortedLists[]): SortedLists => ({
  heads: unionAll(lists.map(({ heads }) => heads)),
  families: [...new Set(lists.flatMap((list) => list.families))],
})

/** All rows of several queries. */
export function unionAll(queries: SQL[]): SQL {
  const parts = queries.map((query) => sql`select * from (${query})`)
  if (parts.length <= maxParts) return sql.join(parts, sql` union all `)
  const groups = Math.ceil(parts.length / maxParts)
  return unionAll(
    Array.from({ length: groups }, (_, at) =>
      sql.join(parts.slice(at * maxParts, (at + 1) * maxParts), sql` union all `),
    ),
  )
}

/**
 * The vulnerabilities of sorted lists, newest first, as rows of `vuln_id` and `key`. It reads the head of each list and
 * then as many rows as are taken; one that stands in several lists comes several times, side by side.
 */
export const mergeLists = ({ heads, families: merged }: SortedLists) => sql`(
  with recursive walk(family, item, key) as (
    select family, item, key from (${heads})
    union all
    select w.family, w.item, case w.family ${sql.join(merged.map(followingIn), sql` `)} end
    from walk w where w.key is not null
    order by 3 desc
  ) select key % ${idSpan} as vuln_id, key from walk where key is not null
)`

export const keyOfVuln = sql`vulns.updated_at * ${idSpan} + vulns.id`

// What comes after the key of `w`, by two seeks: of a pair of columns SQLite would read several rows for each.
function followingIn(name: FamilyName) {
  const { newest, time, id } = families[name]
  return sql`when ${number(name)} then coalesce(
    ${newest(sql`w.item`, sql`${time} = w.key / ${idSpan} and ${id} < w.key % ${idSpan}`)},
    ${newest(sql`w.item`, sql`${time} < w.key / ${idSpan}`)})`
}

const number = (name: FamilyName) => sql.raw(String(names.indexOf(name)))
