import { sql } from 'drizzle-orm'

const links = { product: sql`vuln_products`, package: sql`vuln_packages` }

/**
 * Of an item `i`: its name, the vendor of a product or the type of a package, the value by which a list names it (domain/names/watch-item), and
 * the links to its vulnerabilities with the column of its id.
 */
export const itemTables = {
  vendor: { name: sql`i.name`, first: sql`NULL`, value: sql`i.name`, links: links.product, id: sql`vendor_id` },
  product: {
    name: sql`i.name`,
    first: sql`i.vendor`,
    value: sql`i.vendor || ':' || i.name`,
    links: links.product,
    id: sql`product_id`,
  },
  package: {
    name: sql`i.name`,
    first: sql`i.type`,
    value: sql`i.type || ':' || i.name`,
    links: links.package,
    id: sql`package_id`,
  },
  vuln: { name: sql`coalesce(i.cveid, '')`, first: sql`NULL`, value: sql`coalesce(i.cveid, 'PH-' || i.id)` },
}

/** Labels or versions as they are stored. */
export const parseList = (json: string | null) => (json === null ? [] : (JSON.parse(json) as string[]))
