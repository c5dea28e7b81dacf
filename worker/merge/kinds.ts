/** What can be affected, and where its names, ranges and links are kept; both kinds go by two names. */
export const kinds = [
  {
    kind: 'products',
    table: 'products',
    first: 'vendor',
    id: 'product_id',
    affected: 'affected',
    links: 'vuln_products',
  },
  {
    kind: 'packages',
    table: 'packages',
    first: 'type',
    id: 'package_id',
    affected: 'affected_packages',
    links: 'vuln_packages',
  },
] as const
export type Kind = (typeof kinds)[number]['kind']
