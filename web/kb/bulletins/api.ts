import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getBulletin, listBulletins } from '../../../worker/kb/bulletins/contract'
import type { BulletinQueryInput } from '../../../worker/kb/bulletins/contract'
import { call } from '../../lib/call'

export const bulletinsQuery = (query: BulletinQueryInput) =>
  queryOptions({
    queryKey: ['bulletins', 'list', query],
    queryFn: ({ signal }) => call(listBulletins, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get bulletins' },
  })

export const bulletinQuery = (id: number) =>
  queryOptions({
    queryKey: ['bulletins', 'detail', id],
    queryFn: ({ signal }) => call(getBulletin, { params: { id }, signal }),
  })
