import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listCves } from '../../../worker/kb/cves/contract'
import type { CveQueryInput } from '../../../worker/kb/cves/contract'
import { call } from '../../lib/call'

export const cvesQuery = (query: CveQueryInput) =>
  queryOptions({
    queryKey: ['cves', 'list', query],
    queryFn: ({ signal }) => call(listCves, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get cves' },
  })
