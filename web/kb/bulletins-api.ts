import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { getBulletin, listBulletins, monitorBulletin, monitorBulletins } from '../../worker/kb/bulletins/contract'
import { getWeakness } from '../../worker/taxonomy/contract'
import type { BulletinQueryInput } from '../../worker/kb/bulletins/contract'
import { call } from '../lib/call'

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

export const weaknessQuery = (id: number) =>
  queryOptions({
    queryKey: ['weaknesses', 'detail', id],
    queryFn: ({ signal }) => call(getWeakness, { params: { id: String(id) }, signal }),
  })

const monitoringMeta = {
  success: 'Monitoring status successfuly updated.',
  failure: 'Unable to change the monitoring status',
}
const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: ['bulletins'] })

export const setBulletin = mutationOptions({
  mutationFn: ({ id, monitored }: { id: number; monitored: boolean }) =>
    call(monitorBulletin, { params: { id }, body: { monitored } }),
  onSuccess: (_reply, _toggle, _result, { client }) => refresh(client),
  meta: monitoringMeta,
})

export const setBulletins = mutationOptions({
  mutationFn: (body: { ids: number[]; monitored: boolean }) => call(monitorBulletins, { body }),
  onSuccess: (_reply, _toggle, _result, { client }) => refresh(client),
  meta: monitoringMeta,
})
