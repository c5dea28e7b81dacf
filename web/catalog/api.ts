import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getProduct, listProducts, listVendors } from '../../worker/kb/contract'
import type { ProductQueryInput, VendorQueryInput } from '../../worker/kb/contract'
import { call } from '../lib/call'

export const catalogDefaults = { limit: 10 }

export const vendorsQuery = (query: VendorQueryInput) =>
  queryOptions({
    queryKey: ['vendors', 'list', query],
    queryFn: ({ signal }) => call(listVendors, { query: { ...query, count: 'quick' }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get vendors' },
  })

export const productsQuery = (query: ProductQueryInput) =>
  queryOptions({
    queryKey: ['products', 'list', query],
    queryFn: ({ signal }) => call(listProducts, { query: { ...query, count: 'quick' }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: query.vendor_id === undefined ? 'unable to get products' : 'Unable to get products' },
  })

export const productQuery = (id: number) =>
  queryOptions({
    queryKey: ['products', 'detail', id],
    queryFn: ({ signal }) => call(getProduct, { params: { id }, signal }),
    meta: { failure: 'unable to get product details' },
  })
