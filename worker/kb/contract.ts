import { z } from 'zod'
import { endpoint } from '../http/endpoint'
import { Flag, Id, IdParams } from '../http/fields'
import { pageOf, pageQuery } from '../http/page'

export const VendorRow = z.object({
  id: z.int(),
  name: z.string(),
  monitored: z.boolean(),
  products_count: z.int(),
  vulns_count: z.int(),
  updated_at: z.string(),
})
export type VendorRow = z.output<typeof VendorRow>

export const VendorQuery = pageQuery(['name', 'updated_at'], 'name').extend({
  search: z.string().trim().max(200).optional(),
  monitored: Flag.optional(),
})
export type VendorQuery = z.output<typeof VendorQuery>

export const listVendors = endpoint({
  method: 'GET',
  path: '/api/kb/vendors/',
  access: 'member',
  summary: 'Vendors',
  query: VendorQuery,
  reply: pageOf(VendorRow),
})

export const ProductRow = z.object({
  id: z.int(),
  name: z.string(),
  vendor: z.string(),
  vendor_id: z.int(),
  monitored: z.boolean(),
  vulns_count: z.int(),
  updated_at: z.string(),
})
export type ProductRow = z.output<typeof ProductRow>

export const productSorts = ['name', 'vendor', 'updated_at'] as const
export const ProductQuery = pageQuery(productSorts, 'vendor').extend({
  search: z.string().trim().max(200).optional(),
  vendor_id: Id.optional(),
  monitored: Flag.optional(),
})
export type ProductQuery = z.output<typeof ProductQuery>
export type ProductQueryInput = z.input<typeof ProductQuery>

export const listProducts = endpoint({
  method: 'GET',
  path: '/api/kb/products/',
  access: 'member',
  summary: 'Products, found by any part of their name or of their vendor',
  query: ProductQuery,
  reply: pageOf(ProductRow),
})

export const getProduct = endpoint({
  method: 'GET',
  path: '/api/kb/detailed-products/:id/',
  access: 'member',
  summary: 'One product',
  params: IdParams,
  reply: ProductRow,
})
