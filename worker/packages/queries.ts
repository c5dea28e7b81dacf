import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { packageName, parsePurl, purlOf } from '../domain/purl'
import { notFound } from '../http/errors'
import { offsetOf } from '../http/page'
import { isPackageMonitored } from '../watchlist/queries'
import { monitoredPackages } from '../schema/watchlist'
import { byRelevance, searchNames, soughtOf } from '../kb/name-hits'
import { directionOf, downwards, orderBy, upwards } from '../kb/name-order'
import type { Direction, Order } from '../kb/name-order'
import { countOf, exactness, monitoredParts, nameContains } from '../kb/name-search'
import type { PackageQuery } from './contract'
import { packages } from '../schema/kb'

const packageColumns = (org_id: number) => ({
  id: packages.id,
  type: packages.type,
  name: packages.name,
  vulns_cnt: packages.vulns_count,
  updated_at: packages.updated_at,
  monitored: isPackageMonitored(org_id).as('monitored'),
})

const withPurl = <Row extends { type: string; name: string }>(row: Row) => ({
  ...row,
  purl: purlOf(row.type, row.name),
})

export async function findPackages(db: Db, org_id: number, query: PackageQuery) {
  const { search, sorted_by, monitored } = query
  const isMonitored = sql`${packages.id} in (${monitoredPackageIds(org_id)})`
  const purl = search ? parsePurl(search) : null
  const sought = purl ? undefined : soughtOf(query)
  const where = and(
    purl ? and(eq(packages.type, purl.type), eq(packages.name, purl.name)) : undefined,
    ...nameFilters(query),
    monitored === undefined ? undefined : monitored ? isMonitored : sql`not ${isMonitored}`,
  )
  const order = packageOrder(query, isMonitored)
  const read = (is: SQL | undefined) => db.select(packageColumns(org_id)).from(packages).where(is)
  if (sought) {
    const found = await searchNames(db, { table: packages, ...sought, where, order, page: query }, read)
    return { ...found, results: found.results.map(withPurl) }
  }
  const rows = offsetOf(query) + query.limit
  const isByMonitored = sorted_by?.endsWith('monitored')
  const [results, count] = await Promise.all([
    read(isByMonitored ? monitoredParts(packages, { where, isMonitored, order: sql`name`, rows }) : where)
      .orderBy(...orderBy(order))
      .limit(query.limit)
      .offset(offsetOf(query)),
    countOf(db, packages, where),
  ])
  return { results: results.map(withPurl), ...exactness(count, where) }
}

export async function getPackageRow(db: Db, org_id: number, id: number) {
  const [found] = await db.select(packageColumns(org_id)).from(packages).where(eq(packages.id, id))
  if (!found) throw notFound('Package')
  return withPurl(found)
}

type NameFilters = Pick<PackageQuery, 'search' | 'name' | 'name__icontains' | 'type'>

const nameFilters = ({ search, name, name__icontains, type }: NameFilters) => [
  name ? eq(packages.name, type ? packageName(type, name) : name) : undefined,
  search && name__icontains ? nameContains(packages, name__icontains) : undefined,
  type ? eq(packages.type, type.toLowerCase()) : undefined,
]

const monitoredPackageIds = (org_id: number) =>
  sql`select package_id from ${monitoredPackages} mk where mk.org_id = ${org_id}`

function packageOrder({ sorted_by, search }: PackageQuery, isMonitored: SQL): Order {
  if (!sorted_by) return search ? [downwards(isNamed(search)), ...byRelevance(packages, search)] : byName(upwards)
  const direction = directionOf(sorted_by)
  switch (sorted_by) {
    case 'monitored':
    case '-monitored':
      return [direction(isMonitored), ...byName(upwards)]
    case 'type':
    case '-type':
      return [direction(packages.type), direction(packages.name)]
    case 'vulns_cnt':
    case '-vulns_cnt':
      return [direction(packages.vulns_count), direction(packages.id)]
    case 'updated_at':
    case '-updated_at':
      return [direction(packages.updated_at), direction(packages.id)]
    default:
      return byName(direction)
  }
}

const byName = (direction: Direction): Order => [direction(packages.name), direction(packages.id)]

// The last part of a name is what people call a package: `redhat/openssl`, `org.apache.logging.log4j:log4j-core`.
function isNamed(search: string) {
  const lower = search.toLowerCase()
  const end = sql`substr(lower(${packages.name}), ${-lower.length - 1})`
  return sql`(lower(${packages.name}) = ${lower} or ${end} in (${`/${lower}`}, ${`:${lower}`}))`
}
