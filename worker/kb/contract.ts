import * as z from 'zod'
import { aliasFacts } from '../domain/names/aliases'
import { GroupLabel } from '../domain/names/watch-item'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, Id, IdParams } from '../http/fields'
import { pageSchema, pageQuery } from '../http/page'
import { Lifecycle } from '../taxonomy/contract'

const Alias = z.object({ name: z.string(), fact: z.enum(aliasFacts) })

export const VendorRow = z.object({
  id: z.int(),
  name: z.string(),
  monitored: z.boolean(),
  products_count: Tally,
  vulns_count: Tally,
  updated_at: z.string(),
})
export type VendorRow = z.output<typeof VendorRow>

/** `aliases`: other names in the sources, which count as this one. */
export const VendorDetail = VendorRow.extend({ aliases: z.array(Alias) })
export type VendorDetail = z.output<typeof VendorDetail>

const Name = z.string().trim().max(200).optional()
const nameFilters = {
  search: Name,
  name: Name,
  name__icontains: Name,
  /** A screen shows a page of the first few hundred hits; left out, all hits are counted and paged. */
  count: z.enum(['quick']).optional(),
}

/** By default a search puts the best match first, and a list sorts by name. */
const optionalSort = <const Field extends string>(fields: readonly Field[]) =>
  z.enum(fields.flatMap((field) => [field, `-${field}` as const])).optional()

export const vendorSorts = ['name', 'products_count', 'vulns_count', 'monitored', 'updated_at'] as const
export const VendorQuery = pageQuery(vendorSorts, 'name').extend({
  ...nameFilters,
  monitored: Flag.optional(),
  group: GroupLabel.optional(),
  sorted_by: optionalSort(vendorSorts),
})
export type VendorQuery = z.output<typeof VendorQuery>
export type VendorQueryInput = z.input<typeof VendorQuery>

export const listVendors = endpoint({
  path: '/api/kb/vendors/',
  access: 'member',
  summary: 'Vendors, found by any part of their name',
  query: VendorQuery,
  reply: pageSchema(VendorRow),
})

export const getVendor = endpoint({
  path: '/api/kb/vendors/:id/',
  access: 'member',
  summary: 'One vendor',
  params: IdParams,
  reply: VendorDetail,
})

export const setVendor = endpoint({
  method: 'PUT',
  path: '/api/kb/vendor/:id/',
  cost: 10,
  access: 'member',
  summary: 'Monitor a vendor with all its products, or stop',
  params: IdParams,
  body: z.object({ monitored: Flag, organization_id: Id.optional() }),
  reply: z.literal('toggled.'),
})

export const ProductRow = z.object({
  id: z.int(),
  name: z.string(),
  vendor: z.string(),
  vendor_id: z.int(),
  monitored: z.boolean(),
  vulns_count: Tally,
  updated_at: z.string(),
})
export type ProductRow = z.output<typeof ProductRow>

const productFilters = { ...nameFilters, vendor: Name, vendor_id: Id.optional() }

export const productSorts = ['name', 'vendor', 'vendor__name', 'vulns_count', 'monitored', 'updated_at'] as const
export const ProductQuery = pageQuery(productSorts, 'vendor').extend({
  ...productFilters,
  monitored: Flag.optional(),
  group: GroupLabel.optional(),
  sorted_by: optionalSort(productSorts),
})
export type ProductQuery = z.output<typeof ProductQuery>
export type ProductQueryInput = z.input<typeof ProductQuery>

export const listProducts = endpoint({
  path: '/api/kb/products/',
  access: 'member',
  summary: 'Products, found by any part of their name or of their vendor',
  query: ProductQuery,
  reply: pageSchema(ProductRow),
})

export const vendorProducts = endpoint({
  path: '/api/kb/vendors/:name/products',
  access: 'member',
  summary: 'The products of a vendor, by its name or id',
  params: z.object({ name: z.string().trim().min(1).max(200) }),
  query: ProductQuery,
  reply: pageSchema(ProductRow),
})

export const getProductById = endpoint({
  path: '/api/kb/products/:id/',
  access: 'member',
  summary: 'One product, as a row of the list',
  params: IdParams,
  reply: ProductRow,
})

export const ProductDetail = ProductRow.extend({
  /** In their order; `id` is the place in it, `branch` (3.5.x, 1.1.1x) groups them. */
  versions: z.array(z.object({ id: z.int(), version: z.string(), branch: z.string() })),
  versions_count: Tally,
  lifecycles: z.array(Lifecycle),
  /** Other names of it in the sources, which count as this one: "vendor:product". */
  aliases: z.array(Alias),
  /** Products of this name of other vendors, at most five: a product that was sold has vulnerabilities under both. */
  namesakes: z.array(ProductRow.pick({ id: true, vendor: true, vulns_count: true, monitored: true })),
})
export type ProductDetail = z.output<typeof ProductDetail>

export const getProduct = endpoint({
  path: '/api/kb/detailed-products/:id/',
  access: 'member',
  summary: 'One product, with its known versions',
  params: IdParams,
  reply: ProductDetail,
})

const cpeSorts = ['vendor', 'name'] as const
export const CpeQuery = pageQuery(cpeSorts, 'vendor').extend({ ...productFilters, sorted_by: optionalSort(cpeSorts) })
export type CpeQuery = z.output<typeof CpeQuery>

export const listCpes = endpoint({
  path: '/api/kb/cpe',
  access: 'member',
  summary: 'CPE names of products',
  query: CpeQuery,
  reply: pageSchema(
    z.object({ id: z.int(), title: z.string(), vector: z.string(), vendor: z.string(), product: z.string() }),
  ),
})
