import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { VulnQuery } from '../../vulns/contract'

/** `from` is a table `l` with vuln_id; an empty `orderBy` means that it is sorted already. */
type Links = { from: SQL; where: SQL | undefined; orderBy: SQL[] }

/** Newest change first, so that a page reads no more links than it shows. Undefined when the filters name none of the three. */
export function newestLinks(of: Pick<VulnQuery, 'product' | 'vendor' | 'package'>): Links | undefined {
  const { product, vendor } = of
  if (of.package !== undefined)
    return {
      from: sql`vuln_packages l`,
      where: sql`l.org_id IS NULL AND l.package_id = ${of.package}`,
      orderBy: [sql`l.touched DESC`, sql`l.vuln_id DESC`],
    }
  if (product !== undefined)
    return {
      from: sql`vuln_products l`,
      where: sql`l.org_id IS NULL AND l.product_id = ${product}${vendor === undefined ? sql`` : sql` AND l.vendor_id = ${vendor}`}`,
      orderBy: [sql`l.touched DESC`, sql`l.vuln_id DESC`],
    }
  if (vendor !== undefined) return { from: walkVendor(vendor), where: undefined, orderBy: [] }
  return undefined
}

export function ownLinks(org_id: number, of: Pick<VulnQuery, 'product' | 'vendor' | 'package'>): SQL {
  const [links, is] =
    of.package !== undefined
      ? [sql`vuln_packages`, sql`l.package_id = ${of.package}`]
      : [
          sql`vuln_products`,
          of.product !== undefined ? sql`l.product_id = ${of.product}` : sql`l.vendor_id = ${of.vendor}`,
        ]
  return sql`SELECT DISTINCT l.vuln_id FROM vulns o INDEXED BY vulns_by_org CROSS JOIN ${links} l ON l.vuln_id = o.id
    WHERE o.org_id = ${org_id} AND ${is}`
}

// A vulnerability can have hundreds of products of one vendor: each step jumps over them to the next vulnerability. The
// additions of 0 let SQLite seek by both columns, which it does not by the columns of a recursive table.
const walkVendor = (vendor: number) => sql`(
  WITH RECURSIVE walk(touched, vuln_id) AS (
    SELECT * FROM (
      SELECT touched, vuln_id FROM vuln_products WHERE vendor_id = ${vendor} AND org_id IS NULL ORDER BY touched DESC, vuln_id DESC LIMIT 1
    )
    UNION ALL
    SELECT next.touched, next.vuln_id FROM walk w CROSS JOIN vuln_products next
    WHERE (next.vuln_id, next.product_id) = (
      SELECT n.vuln_id, n.product_id FROM vuln_products n
      WHERE n.vendor_id = ${vendor} AND n.org_id IS NULL AND (n.touched, n.vuln_id) < (w.touched + 0, w.vuln_id + 0)
      ORDER BY n.touched DESC, n.vuln_id DESC LIMIT 1
    )
  ) SELECT vuln_id FROM walk
) l`
