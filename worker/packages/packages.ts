import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { normalizePackageName, packageType, parsePurl, formatPurl } from '../domain/names/purl'
import { hasLabel, isPackageMonitored } from '../watchlist/queries'
import { monitoredPackages } from '../schema/watchlist'
import { findNames, getName, type NameKind } from '../kb/find-names'
import { toNameSearch } from '../kb/name-hits'
import { findListedVulns } from './listed-vulns'
import type { PackageQuery, PackageRow } from './contract'
import { packages } from '../schema/kb'

type Named = Omit<PackageRow, 'vulns'>

const kind: NameKind<Named> = {
  title: 'Package',
  table: packages,
  async findRows(db, org_id, ids) {
    const rows = await db
      .select({
        id: packages.id,
        type: packages.type,
        name: packages.name,
        vulns_cnt: packages.vulns_count,
        updated_at: packages.updated_at,
        monitored: isPackageMonitored(org_id).as('monitored'),
      })
      .from(packages)
      .where(sql`${packages.id} IN ${valuesTable(ids)}`)
    return rows.map((row) => ({ ...row, purl: formatPurl(row.type, row.name) }))
  },
  isMonitored: (org_id) =>
    sql`${packages.id} IN (SELECT package_id FROM ${monitoredPackages} mk WHERE mk.org_id = ${org_id})`,
  byName: [packages.name],
  sorts: new Map([
    ['name', [packages.name]],
    ['type', [packages.type, packages.name]],
    ['vulns_cnt', [packages.vulns_count]],
    ['updated_at', [packages.updated_at]],
  ]),
}

export async function findPackages(db: Db, org_id: number, query: PackageQuery) {
  const { search, name } = query
  const type = query.type && packageType(query.type)
  const purl = search ? parsePurl(search) : null
  const filters = [
    purl ? and(eq(packages.type, purl.type), eq(packages.name, purl.name)) : undefined,
    name ? eq(packages.name, type ? normalizePackageName(type, name) : name) : undefined,
    type ? eq(packages.type, type) : undefined,
    query.group ? hasLabel(org_id, 'package', packages.id, query.group) : undefined,
  ]
  const sought = purl ? undefined : toNameSearch(query)
  const first = search ? [isNamed(search)] : []
  return findNames(db, { kind: kindAsked(query), org_id }, query, { filters, sought, first })
}

/** With the vulnerabilities of each, and its type as it is asked for. */
const kindAsked = ({ type, vulns }: PackageQuery): NameKind<PackageRow> => ({
  ...kind,
  async findRows(db, org_id, ids) {
    const [rows, listVulns] = await Promise.all([
      kind.findRows(db, org_id, ids),
      vulns === 'none' ? () => [] : findListedVulns(db, org_id, ids),
    ])
    const named = rows.map((row) => ({ ...row, type: type?.toLowerCase() || row.type }))
    return named.map((row) => ({ ...row, vulns: listVulns(row) }))
  },
})

export const getPackageRow = (db: Db, org_id: number, id: number) => getName(db, { kind, org_id }, id)

// The last part of a name is what people call a package: `redhat/openssl`, `org.apache.logging.log4j:log4j-core`.
function isNamed(search: string) {
  const lower = search.toLowerCase()
  const end = sql`substr(lower(${packages.name}), ${-lower.length - 1})`
  return sql`(lower(${packages.name}) = ${lower} OR ${end} IN (${`/${lower}`}, ${`:${lower}`}))`
}
