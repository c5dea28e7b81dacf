const links = [
  ['vendors', 'vuln_products', 'vendor_id'],
  ['products', 'vuln_products', 'product_id'],
  ['packages', 'vuln_packages', 'package_id'],
] as const

/** The tables that store how many vulnerabilities each of their rows has, and what a scan of all links finds. */
export const countedTables = links.map(([table, linking, item]) => ({
  table,
  scanned: `(SELECT count(DISTINCT l.vuln_id) FROM ${linking} l JOIN vulns v ON v.id = l.vuln_id
    WHERE l.${item} = ${table}.id AND v.state <> 'rejected' AND v.org_id IS NULL)`,
}))
