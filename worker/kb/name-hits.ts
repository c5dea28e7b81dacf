import { getTableName, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import type { Db } from '../db/open'
import { tableOf } from '../db/values'
import { offsetOf } from '../http/page'
import type { Found, Paging } from '../http/page'
import { downwards, sortByKeys, upwards } from './name-order'
import type { Key, Order } from './name-order'
import { products } from '../schema/kb'
import type { packages, vendors } from '../schema/kb'

export type Names = typeof products | typeof vendors | typeof packages

/** A search looks at so many hits, and reads two rows for each; what is named exactly so is always among them. */
const mostHits = 750
/** Of a beginning that many names have, so many of them are looked at, and those among so many of the most vulnerable ones. */
const mostBegun = 150
const mostVulnerable = 600

/** `isOfName`: it stands in the name itself, not in that of a product's vendor or in a package's type. */
export type Sought = { search: string; isOfName?: boolean }

type Asked = Sought & {
  table: Names
  /** What else they must be. */
  where: SQL | undefined
  order: Order
  page: Paging
}

type Seeking = { search?: string | undefined; name__icontains?: string | undefined }

/** What is looked for; a part of the name beside a search is one of the other conditions. */
export function soughtOf({ search, name__icontains }: Seeking): Sought | undefined {
  if (search) return { search }
  return name__icontains ? { search: name__icontains, isOfName: true } : undefined
}

type Hit = [id: number, fits: number, ...keys: Key[]]

/**
 * Any part of a name, or of a product's vendor, from three characters on; fewer are looked for at its beginning. The hits
 * are sorted here: in the database each would be read twice more. `read` tells of some of them what a page shows.
 */
export async function searchNames<Row extends { id: number }>(
  db: Db,
  { table, search, isOfName = false, where, order, page }: Asked,
  read: (where: SQL) => PromiseLike<Row[]>,
): Promise<Found<Row>> {
  const keys = order.map(({ by }, at) => sql`${by} as ${sql.raw(`key_${at}`)}`)
  const columns = sql.join([sql`${table.id} as id`, sql`${where ?? sql`1`} as fits`, ...keys], sql`, `)
  const { hits, isAll } = await findHits(db, { table, search, isOfName, columns })
  const once = new Map(hits.map((hit) => [hit[0], hit]))
  const fitting = [...once.values()].flatMap(([id, fits, ...said]) => (fits ? [{ id, keys: said }] : []))
  const shown = sortByKeys(fitting, order)
    .slice(offsetOf(page), offsetOf(page) + page.limit)
    .map(({ id }) => id)
  const rows = new Map((await read(sql`${table.id} in ${tableOf(shown)}`)).map((row) => [row.id, row]))
  return { results: shown.flatMap((id) => rows.get(id) ?? []), count: fitting.length, count_is_exact: isAll }
}

type Hits = Sought & { table: Names; columns: SQL }

async function findHits(db: Db, { table, search, isOfName, columns }: Hits) {
  const part = ftsParts(search)
  if (part) {
    const exact = sql`select id from ${table} where name in (${search}, ${search.toLowerCase()})`
    const found = sql`${exact} union all select * from (${partHits(table, isOfName ? `{name} : (${part})` : part)})`
    const hits = await db.values<Hit>(
      sql`select ${columns} from (${found}) h cross join ${table} where ${table.id} = h.id`,
    )
    return { hits, isAll: hits.length < mostHits }
  }
  const { lower, upper } = startOf(search)
  const begins = sql.join(
    (table === products && !isOfName ? [products.name, products.vendor] : [table.name]).map(
      (column) => sql`(${column} >= ${lower} and ${column} < ${upper})`,
    ),
    sql` or `,
  )
  const begun = await db.values<Hit>(sql`select ${columns} from ${table} where ${begins} limit ${mostBegun}`)
  if (begun.length < mostBegun) return { hits: begun, isAll: true }
  const vulnerable = sql`select * from ${table} order by vulns_count desc, id desc limit ${mostVulnerable}`
  const known = await db.values<Hit>(sql`select ${columns} from (${vulnerable}) ${table} where ${begins}`)
  return { hits: [...known, ...begun], isAll: false }
}

/** Ids of what has parts of three characters or more in its name, or of a product in its vendor's. */
export function partHits(table: Names, match: string) {
  const fts = sql.raw(`${getTableName(table)}_fts`)
  return sql`select rowid from ${fts} where ${fts} match ${match} limit ${mostHits}`
}

export const startOf = (text: string) => ({ lower: text.toLowerCase(), upper: `${text.toLowerCase()}\u{10ffff}` })

/** What is named so comes first, then what begins so, then what has the most vulnerabilities. */
export function byRelevance(table: Names, search: string): Order {
  const { lower, upper } = startOf(search)
  const begins = sql`(${table.name} >= ${lower} and ${table.name} < ${upper})`
  const isExact =
    table === products
      ? sql`(${table.name} = ${lower}) + (${products.vendor} = ${lower})`
      : sql`${table.name} = ${lower}`
  return [downwards(isExact), downwards(begins), downwards(table.vulns_count), upwards(table.name), upwards(table.id)]
}
