/** The tables of both kinds of affected things. A product and a package each have a name of two parts. */
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
