import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listAlerts } from '../../worker/alerts/contract'
import type { AlertQuery } from '../../worker/alerts/contract'
import { call } from '../lib/call'

export const alertsQuery = (query: AlertQuery) =>
  queryOptions({
    queryKey: ['alerts', 'list', query],
    queryFn: ({ signal }) => call(listAlerts, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get alerts' },
  })
