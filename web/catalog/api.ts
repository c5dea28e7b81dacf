import { getProduct, listProducts, listVendors } from '../../worker/kb/contract'
import type { ProductQueryInput, VendorQueryInput } from '../../worker/kb/contract'
import { askFor, askPage } from '../lib/ask'

export const catalogDefaults = { limit: 10 }

export const vendorsQuery = (query: VendorQueryInput) =>
  askPage(['vendors', 'list', query], listVendors, { query: { ...query, count: 'quick' } }, 'unable to get vendors')

export const productsQuery = (query: ProductQueryInput) =>
  askPage(
    ['products', 'list', query],
    listProducts,
    { query: { ...query, count: 'quick' } },
    query.vendor_id === undefined ? 'unable to get products' : 'Unable to get products',
  )

export const productQuery = (id: number) =>
  askFor(['products', 'detail', id], getProduct, { params: { id } }, 'unable to get product details')
