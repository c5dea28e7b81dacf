import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { VulnQuery } from '../contract'

/** Where a list starts: `from` is `l` with vuln_id, in the order that `orderBy` names, or that it already has. */
type Links = { from: SQL; where: SQL | undefined; orderBy: SQL[] }

/**
 * The links of a product, a vendor or a package by the time their vulnerabilities changed, newest first, so that a page reads no more
 * of them than it shows. Undefined for none of them.
 */
export function newestLinks(of: Pick<VulnQuery, 'product' | 'vendor' | 'package'>): Links | undefined {
  const { product, vendor } = of
  if (of.package !== undefined)
    return {
      from: sql`vuln_packages l`,
      where: sql`l.org_id is null and l.package_id = ${of.package}`,
      orderBy: [sql`l.touched desc`, sql`l.vuln_id desc`],
    }
  if (product !== undefined)
    return {
      from: sql`vuln_products l`,
      where: sql`l.org_id is null and l.product_id = ${product}${vendor === undefined ? sql`` : sql` and l.vendor_id = ${vendor}`}`,
      orderBy: [sql`l.touched desc`, sql`l.vuln_id desc`],
    }
  if (vendor !== undefined) return { from: walkVendor(vendor), where: undefined, orderBy: [] }
  return undefined
}

/** The same of what an organization wrote for itself, in any order. */
export function ownLinks(org_id: number, of: Pick<VulnQuery, 'product' | 'vendor' | 'package'>): SQL {
  const [links, is] =
    of.package !== undefined
      ? [sql`vuln_packages`, sql`l.package_id = ${of.package}`]
      : [
          sql`vuln_products`,
          of.product !== undefined ? sql`l.product_id = ${of.product}` : sql`l.vendor_id = ${of.vendor}`,
        ]
  return sql`select distinct l.vuln_id from vulns o indexed by vulns_by_org cross join ${links} l on l.vuln_id = o.id
    where o.org_id = ${org_id} and ${is}`
}

// A vulnerability can have hundreds of products of one vendor: each step jumps over them to the next vulnerability. The
// additions of 0 let SQLite seek by both columns, which it does not by the columns of a recursive table.
const walkVendor = (vendor: number) => sql`(
  with recursive walk(touched, vuln_id) as (
    select * from (
      select touched, vuln_id from vuln_products where vendor_id = ${vendor} and org_id is null order by touched desc, vuln_id desc limit 1
    )
    union all
    select next.touched, next.vuln_id from walk w cross join vuln_products next
    where (next.vuln_id, next.product_id) = (
      select n.vuln_id, n.product_id from vuln_products n
      where n.vendor_id = ${vendor} and n.org_id is null and (n.touched, n.vuln_id) < (w.touched + 0, w.vuln_id + 0)
      order by n.touched desc, n.vuln_id desc limit 1
    )
  ) select vuln_id from walk
) l`
