import type { BulletinBody } from '../../kb/bulletins/contract'
import type { Branch, CsafDocument } from './document'

type CsafProduct = BulletinBody['products'][number]
type Named = Partial<Record<string, string>>

/** Products by id (CSAF 2.0, 3.2.2). Branches name vendor, product and version; "P as part of platform Q" becomes product Q with version P. */
export function readProducts({ product_tree: tree }: CsafDocument): Map<string, CsafProduct> {
  const byId = new Map<string, CsafProduct>()
  for (const { product_id, name } of tree?.full_product_names ?? [])
    byId.set(product_id, { vendor: '', product: name, version: '' })
  for (const branch of tree?.branches ?? []) collectProducts(branch, {}, byId)

  for (const { product_reference, relates_to_product_reference, full_product_name } of tree?.relationships ?? []) {
    const [part, whole] = [byId.get(product_reference), byId.get(relates_to_product_reference)]
    byId.set(full_product_name.product_id, {
      vendor: whole?.vendor || part?.vendor || '',
      product: whole?.product ?? full_product_name.name,
      version: part ? part.version || part.product : '',
    })
  }
  return byId
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

function readProduct(fullName: string, named: Named): CsafProduct {
  const { vendor = '', product_name, product_version, product_version_range, service_pack, architecture } = named
  const version = [product_version ?? product_version_range, service_pack].filter(Boolean).join(' ')
  return {
    vendor: vendor.trim(),
    product: (product_name ?? (version ? named['product_family'] : undefined) ?? fullName).trim(),
    version: architecture ? version.replace(`.${architecture}`, '') : version,
  }
}
