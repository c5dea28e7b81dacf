import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { getProduct, getVendor, listProducts, listVendors } from '../../worker/kb/contract'
import { listCves } from '../../worker/kb/cves/contract'
import { productTimeline, vendorTimeline } from '../../worker/kb/timeline/contract'
import type { CveQueryInput } from '../../worker/kb/cves/contract'
import type { ProductQueryInput, ProductRow, VendorQueryInput, VendorRow } from '../../worker/kb/contract'
import { packageTimeline } from '../../worker/kb/timeline/contract'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { toggleVulns } from '../../worker/vulns/contract'
import { call } from '../lib/call'

export const vendorsQuery = (query: VendorQueryInput) =>
  queryOptions({
    queryKey: ['vendors', 'list', query],
    queryFn: ({ signal }) => call(listVendors, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get vendors' },
  })

export const vendorQuery = (id: number) =>
  queryOptions({
    queryKey: ['vendors', 'detail', id],
    queryFn: ({ signal }) => call(getVendor, { params: { id }, signal }),
    meta: { failure: 'Unable to get vendor details' },
  })

export const productsQuery = (query: ProductQueryInput) =>
  queryOptions({
    queryKey: ['products', 'list', query],
    queryFn: ({ signal }) => call(listProducts, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: query.vendor_id === undefined ? 'unable to get products' : 'Unable to get products' },
  })

export const productQuery = (id: number) =>
  queryOptions({
    queryKey: ['products', 'detail', id],
    queryFn: ({ signal }) => call(getProduct, { params: { id }, signal }),
    meta: { failure: 'unable to get product details' },
  })

export const cvesQuery = (query: CveQueryInput) =>
  queryOptions({
    queryKey: ['cves', 'list', query],
    queryFn: ({ signal }) => call(listCves, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get cves' },
  })

export type TimelineOf = { product: number } | { vendor: number } | { package: number }

export const timelineQuery = (of: TimelineOf, query: { page: number; limit: number }) =>
  queryOptions({
    queryKey: ['timeline', of, query],
    queryFn: ({ signal }) => {
      if ('product' in of) return call(productTimeline, { params: { id: of.product }, query, signal })
      if ('vendor' in of) return call(vendorTimeline, { params: { id: of.vendor }, query, signal })
      return call(packageTimeline, { params: { id: of.package }, query, signal })
    },
    placeholderData: keepPreviousData,
  })

// S2 §8: two seconds, but for CVEs.
const failure_ms = 2_000
const monitoringMeta = {
  success: 'Monitoring status successfuly updated.',
  failure: 'Unable to change the monitoring status',
}

type Toggle = { monitored: boolean; organization_id: number | undefined }

export const monitorVendor = mutationOptions({
  mutationFn: ({ vendor, ...body }: Toggle & { vendor: VendorRow }) =>
    call(toggleVendor, { body: { vendor_id: vendor.id, vendor_name: vendor.name, ...body } }),
  onSuccess: (_reply, _toggle, _result, { client }) =>
    Promise.all(['vendors', 'products', 'vulns'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  meta: { ...monitoringMeta, failure_ms },
})

export const monitorProduct = mutationOptions({
  mutationFn: ({ product, ...body }: Toggle & { product: ProductRow }) =>
    call(toggleProduct, {
      body: { product_id: product.id, vendor_name: product.vendor, product_name: product.name, ...body },
    }),
  onSuccess: (_reply, _toggle, _result, { client }) =>
    Promise.all(['products', 'vulns'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  meta: { ...monitoringMeta, failure_ms },
})

export const monitorCves = mutationOptions({
  mutationFn: (body: Toggle & { ids: number[] }) => call(toggleVulns, { body }),
  onSuccess: (_reply, _toggle, _result, { client }) =>
    Promise.all(['cves', 'vulns'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  meta: monitoringMeta,
})
