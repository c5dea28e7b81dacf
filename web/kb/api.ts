import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { getProduct, listProducts } from '../../worker/kb/contract'
import type { ProductQueryInput, ProductRow } from '../../worker/kb/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { call } from '../lib/call'

export const productsQuery = (query: ProductQueryInput) =>
  queryOptions({
    queryKey: ['products', 'list', query],
    queryFn: ({ signal }) => call(listProducts, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get products' },
  })

export const productQuery = (id: number) =>
  queryOptions({
    queryKey: ['products', 'detail', id],
    queryFn: ({ signal }) => call(getProduct, { params: { id }, signal }),
    meta: { failure: 'unable to get product details' },
  })

type Toggle = { product: ProductRow; monitored: boolean; organization_id: number | undefined }

export const monitorProduct = mutationOptions({
  mutationFn: ({ product, ...body }: Toggle) =>
    call(toggleProduct, {
      body: { product_id: product.id, vendor_name: product.vendor, product_name: product.name, ...body },
    }),
  onSuccess: (_reply, _toggle, _result, { client }) =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['products'] }),
      client.invalidateQueries({ queryKey: ['vulns'] }),
    ]),
  meta: {
    success: 'Monitoring status successfuly updated.',
    failure: 'Unable to change the monitoring status',
  },
})
