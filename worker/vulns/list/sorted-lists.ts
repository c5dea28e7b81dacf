import { sql, type SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import { isInKev, shared } from '../../schema/vulns'

/** Joins the time of a change, in seconds, and the id into one number, which sorts newest first. */
const idSpan = sql.raw(String(2 ** 28))

/** `list` stands after FROM. */
type Family = { list: (item: SQL) => SQL; time: SQL; id: SQL }

const links = (list: SQL): Family => ({
  list: (item) => sql`${list} = ${item}`,
  time: sql`touched`,
  id: sql`vuln_id`,
})

const rows = (index: string, isItem: (item: SQL) => SQL): Family => ({
  list: (item) => sql`vulns INDEXED BY ${sql.raw(index)} WHERE ${isItem(item)} AND ${shared}`,
  time: sql`updated_at`,
  id: sql`id`,
})

const selectNewest = ({ list, time, id }: Family, item: SQL, condition = sql`TRUE`) =>
  sql`(SELECT ${time} * ${idSpan} + ${id} FROM ${list(item)} AND ${condition} ORDER BY ${time} DESC, ${id} DESC LIMIT 1)`

const column = (name: string) => rows(`vulns_by_${name}`, (item) => sql`${sql.raw(name)} = ${item}`)

/** Families of lists that an index holds newest first: one list per product, per score, or for KEV and for all others. */
const families = {
  product: links(sql`vuln_products WHERE org_id IS NULL AND product_id`),
  vendor: links(sql`vuln_products WHERE org_id IS NULL AND vendor_id`),
  package: links(sql`vuln_packages WHERE org_id IS NULL AND package_id`),
  monitored: links(sql`org_vulns WHERE org_id`),
  wild: rows('vulns_by_wild', (isKev) => sql`is_in_the_wild = 1 AND ${isInKev} = ${isKev}`),
  exploitable: rows('vulns_by_exploitable', () => sql`is_exploitable = 1`),
  score: column('score'),
  cvss: column('cvss'),
  cvss3: column('cvss3'),
  cvss4: column('cvss4'),
}
type FamilyName = keyof typeof families
const names = Object.keys(families) as FamilyName[]

/** Rows of `family`, `item` and `key`: the place of the newest vulnerability of each list. */
export type SortedLists = { heads: SQL; families: FamilyName[] }

export const newLists = (name: FamilyName, items: number[]): SortedLists => ({
  heads: sql`SELECT ${number(name)} AS family, i.item, ${selectNewest(families[name], sql`i.item`)} AS key FROM ${valuesTable([...new Set(items)])} i`,
  families: [name],
})

/** D1 allows five parts in a union. */
export function unionAll(queries: SQL[]): SQL {
  const parts = queries.map((query) => sql`SELECT * FROM (${query})`)
  const [first, further] = [parts.slice(0, 4), parts.slice(4)]
  return sql.join(further.length ? [...first, sql`SELECT * FROM (${unionAll(further)})`] : first, sql` UNION ALL `)
}

export const allLists = (lists: SortedLists[]): SortedLists => ({
  heads: unionAll(lists.map(({ heads }) => heads)),
  families: [...new Set(lists.flatMap((list) => list.families))],
})

/**
 * Selects `id`, newest first, each once. Reads the head of each list and the rows taken. Each of the private rows is a list by itself:
 * SQL to stand after FROM.
 */
export const mergeLists = ({ heads, families: merged }: SortedLists, privateRows: SQL) => sql`
  WITH RECURSIVE walk(family, item, key) AS (
    SELECT family, item, key FROM (${heads})
    UNION ALL
    SELECT -1, vulns.id, vulns.updated_at * ${idSpan} + vulns.id FROM ${privateRows}
    UNION ALL
    SELECT w.family, w.item, CASE w.family ${sql.join(merged.map(followingIn), sql` `)} END
    FROM walk w WHERE w.key IS NOT NULL
    ORDER BY 3 DESC
  ) SELECT DISTINCT key % ${idSpan} AS id FROM walk WHERE key IS NOT NULL`

// The next row after the key of `w`, by two seeks: comparing a pair of columns makes SQLite read several rows each time.
function followingIn(name: FamilyName) {
  const family = families[name]
  const { time, id } = family
  const newest = (condition: SQL) => selectNewest(family, sql`w.item`, condition)
  return sql`WHEN ${number(name)} THEN coalesce(
    ${newest(sql`${time} = w.key / ${idSpan} AND ${id} < w.key % ${idSpan}`)}, ${newest(sql`${time} < w.key / ${idSpan}`)})`
}

const number = (name: FamilyName) => sql.raw(String(names.indexOf(name)))
