import type { BulletinBody } from '../../kb/bulletins/contract'
import type { About, Branch, CsafDocument } from './document'

type CsafProduct = BulletinBody['products'][number]
type Named = Partial<Record<string, string>>
type Tree = NonNullable<CsafDocument['product_tree']>

/** Parts of parts: more levels only hostile documents have. */
const maxLevels = 5

/** Products by id (CSAF 2.0, 3.2.2). Branches name vendor, product and version; "P as part of platform Q" becomes product Q with version P. */
function readProducts({ product_tree: tree }: CsafDocument): Map<string, CsafProduct> {
  const byId = new Map<string, CsafProduct>()
  for (const { product_id, name } of tree?.full_product_names ?? [])
    byId.set(product_id, { vendor: '', product: name, version: '' })
  for (const branch of tree?.branches ?? []) collectProducts(branch, {}, byId)
  const parts = listParts(tree?.relationships ?? [], new Map(byId))
  for (const [id, name] of listFullNames(tree)) {
    const product = byId.get(id)
    if (product) byId.set(id, withFullName(product, name))
  }
  for (const [id, product] of parts) byId.set(id, product)
  return byId
}

/** A relationship may stand before those of its parts. */
function listParts(relationships: Tree['relationships'], branches: Map<string, CsafProduct>) {
  const found = new Map<string, CsafProduct>()
  const find = (id: string) => found.get(id) ?? branches.get(id)
  let waiting = relationships
  for (let level = 0; level <= maxLevels && waiting.length; level++) {
    const ready = waiting.filter(
      (one) => level === maxLevels || (find(one.product_reference) && find(one.relates_to_product_reference)),
    )
    for (const { product_reference, relates_to_product_reference: wholeId, full_product_name } of ready) {
      const [part, whole] = [find(product_reference), find(wholeId)]
      found.set(full_product_name.product_id, {
        vendor: whole?.vendor || part?.vendor || '',
        product: whole ? nameWhole(whole, branches.has(wholeId)) : full_product_name.name,
        version: part ? nameVersion(part) : '',
      })
    }
    waiting = waiting.filter((one) => !found.has(one.full_product_name.product_id))
  }
  return found
}

// The version of what is itself a part is that part: a module of Red Hat, which the builds of its packages name.
const nameWhole = ({ product, version }: CsafProduct, isOfBranches: boolean) =>
  isOfBranches && version ? `${product} ${version}` : product

/** `git-0:2.1` names its package itself; `MX-V4.0.1.15` does not. */
function nameVersion({ product, version }: CsafProduct) {
  if (!version) return product
  const [name = ''] = /^\D*/.exec(version) ?? []
  const isNamed = version.startsWith(product) || product.includes(version) || (name && product.startsWith(name))
  return isNamed ? version : `${product} ${version}`
}

export function readVendors({ product_tree: tree }: CsafDocument) {
  const vendors = new Set<string>()
  const visit = ({ category, name, branches }: Branch) => {
    if (category === 'vendor') vendors.add(name.trim())
    branches.forEach(visit)
  }
  tree?.branches.forEach(visit)
  return [...vendors].filter(Boolean)
}

function collectProducts({ category, name, product, branches }: Branch, above: Named, byId: Map<string, CsafProduct>) {
  const named = { ...above, [category]: name }
  if (product) byId.set(product.product_id, readProduct(product.name, named))
  for (const branch of branches) collectProducts(branch, named, byId)
}

/** Branches that tell versions of one product apart (CSAF 2.0, 3.1.2.2), in this order. */
const versionBranches = [
  'product_version',
  'product_version_range',
  'service_pack',
  'patch_level',
  'language',
  'legacy',
  'specification',
  'host_name',
]

function readProduct(fullName: string, named: Named): CsafProduct {
  const { vendor = '', product_name, product_family, architecture } = named
  const version = versionBranches.flatMap((category) => (named[category] ? readVersion(named[category]) : [])).join(' ')
  const family = product_name && fullName.includes(`${product_family} ${product_name}`) ? `${product_family} ` : ''
  return {
    vendor: vendor.trim(),
    product: (product_name ? family + product_name : ((version ? product_family : undefined) ?? fullName)).trim(),
    version: architecture ? version.replace(`.${architecture}`, '') : version,
  }
}

/** `vers:all/*` are all versions, and `vers:generic/>=1.0|<2.0` are `>=1.0|<2.0` (Version Range Specifier). */
function readVersion(text: string) {
  const [, range] = /^vers:[^/]*\/(.*)$/s.exec(text) ?? []
  return range?.trim() === '*' ? 'all versions' : (range ?? text)
}

/** Full names of products by their branches; packages that are built for several architectures differ in these alone. */
function listFullNames(tree: Tree | undefined) {
  const names = new Map<string, string>()
  const visit = ({ category, product, branches }: Branch) => {
    if (category === 'architecture') return
    if (product) names.set(product.product_id, product.name)
    branches.forEach(visit)
  }
  tree?.branches.forEach(visit)
  return names
}

/**
 * Branches and full name of a product may differ: `<=10` is "Firmware versions from 05 to 19" (ICSA-20-317-01), and an order
 * number may stand in the name alone. A number in it that branches lack follows the version.
 */
function withFullName(product: CsafProduct, fullName: string): CsafProduct {
  const label = `${product.vendor} ${product.product} ${product.version}`.toLowerCase()
  const words = fullName.toLowerCase().match(/[\w.]*\d[\w.]*/g) ?? []
  if (words.every((word) => label.includes(word.replace(/^v(?:er)?\.?(?=\d)|\.$/g, '')))) return product
  const name = fullName.startsWith(product.product)
    ? fullName.slice(product.product.length).replace(/^[\s:,-]+/, '')
    : fullName
  const aside = /^\([^()]*\)$/.test(name) ? name : `(${name})`
  return { ...product, version: [product.version, aside].filter(Boolean).join(' ') }
}

/** Products that all groups of a document may name together, as often as they are named; hostile ones name more. */
const maxInGroups = 500_000

export type Placed = ReturnType<typeof placeProducts>

/** The products that a document speaks of, once each, and their places in this list. One package for five architectures is one product here. */
export function placeProducts(csaf: CsafDocument) {
  const listIds = newIdLister(csaf)
  const products: CsafProduct[] = []
  const places = new Map<string, number>()
  const placeByKey = new Map<string, number>()
  const mentioned = new Set(csaf.vulnerabilities.flatMap((one) => listMentioned(one, listIds)))
  for (const [id, product] of readProducts(csaf)) {
    if (mentioned.size > 0 && !mentioned.has(id)) continue
    const name = JSON.stringify(product)
    const place = places.get(name) ?? products.push(product) - 1
    places.set(name, place)
    placeByKey.set(id, place)
  }
  const findPlaces = (ids: string[]) => [...new Set(ids.flatMap((id) => placeByKey.get(id) ?? []))]
  return {
    products,
    findPlaces,
    /** `count` is 0 where it is about all. */
    findAbout(about: About) {
      const ids = listIds(about)
      const found = findPlaces(ids)
      return { products: found, count: found.length || new Set(ids).size }
    },
  }
}

const listMentioned = (
  { product_status, remediations }: CsafDocument['vulnerabilities'][number],
  listIds: (about: About) => string[],
) => [...Object.values(product_status).flat(), ...remediations.flatMap(listIds)]

function newIdLister({ product_tree }: CsafDocument) {
  const groups = new Map((product_tree?.product_groups ?? []).map((one) => [one.group_id, one.product_ids]))
  let named = 0
  return ({ product_ids, group_ids }: About) => {
    const inGroups = group_ids.flatMap((id) => {
      const ids = groups.get(id) ?? []
      named += ids.length
      if (named > maxInGroups) throw new Error(`Groups name more than ${maxInGroups} products`)
      return ids
    })
    return [...product_ids, ...inGroups]
  }
}
