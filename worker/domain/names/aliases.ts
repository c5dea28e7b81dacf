import otherNames from './other-names.json' with { type: 'json' }

/** Why two names are the same thing: records of the same CVEs name both (`cve`), CISA's catalogue does (`kev`), or CPE deprecates one (`cpe`). */
export const aliasFacts = ['cve', 'kev', 'cpe'] as const
type AliasFact = (typeof aliasFacts)[number]
type NameAlias = { name: string; fact: AliasFact }

type Table = Partial<Record<AliasFact, Readonly<Record<string, string>>>>

/**
 * Other spellings on the left, the name of the CPE dictionary on the right; products by vendor and product, of another vendor where the
 * right side names one. Names are replaced when a record is read: to take a line back, remove it and read the source again.
 */
const { vendors: vendorNames, products: productNames }: { vendors: Table; products: Table } = otherNames

const joinTable = (table: Table): ReadonlyMap<string, string> =>
  new Map(aliasFacts.flatMap((fact) => Object.entries(table[fact] ?? {})))

export const vendorAliases = joinTable(vendorNames)
export const productAliases = joinTable(productNames)

const sameProducts = new Map(
  otherNames.same.products.flatMap((names) =>
    names.map((name) => [name, names.filter((one) => one !== name)] as const),
  ),
)

/**
 * Names ("vendor:product") under which sources list the same product, as it changed hands: `f5:nginx` beside `nginx:nginx`. None
 * replaces another, as each has vulnerabilities that the others lack. Source: records of the CVE list and NVD (`same` in
 * other-names.json).
 */
export const listSameProducts = (vendor: string, product: string) => sameProducts.get(`${vendor}:${product}`) ?? []

/** The other names of a vendor. */
export const listVendorAliases = (vendor: string) => findAliases(vendorNames, (meant) => meant === vendor)

/** The other names of a product, those with another name of its vendor among them. */
export function listProductAliases(vendor: string, product: string) {
  const own = findAliases(productNames, (meant, name) => {
    const isNamed = meant.includes(':')
    return isNamed ? meant === `${vendor}:${product}` : meant === product && name.startsWith(`${vendor}:`)
  }).filter(({ name }) => name !== `${vendor}:${product}`)
  const byVendor = listVendorAliases(vendor).map(({ name, fact }) => ({ name: `${name}:${product}`, fact }))
  return [...own, ...byVendor]
}

const findAliases = (table: Table, isMeant: (meant: string, name: string) => boolean): NameAlias[] =>
  aliasFacts.flatMap((fact) =>
    Object.entries(table[fact] ?? {}).flatMap(([name, meant]) => (isMeant(meant, name) ? [{ name, fact }] : [])),
  )
