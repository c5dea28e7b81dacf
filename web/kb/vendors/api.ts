import { queryOptions } from '@tanstack/react-query'
import { getVendor } from '../../../worker/kb/contract'
import { call } from '../../lib/call'

export const vendorQuery = (id: number) =>
  queryOptions({
    queryKey: ['vendors', 'detail', id],
    queryFn: ({ signal }) => call(getVendor, { params: { id }, signal }),
    meta: { failure: 'Unable to get vendor details' },
  })
