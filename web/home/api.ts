import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { ProductRow } from '../../worker/kb/contract'
import { updateOrgSettings } from '../../worker/alerts/settings-contract'
import { homeDesk, latestNews, latestVulns, vulnStats } from '../../worker/home/contract'
import { call } from '../lib/call'
import { noteVisit } from './last-visit'
import { refreshMonitored, requestMonitored } from '../watchlist/api'

export const latest_days = 30

export const statsQuery = queryOptions({
  queryKey: ['vulns', 'stats'],
  queryFn: ({ signal }) => call(vulnStats, { signal }),
  meta: { failure: 'Unable to get stats' },
})

export const latestQuery = (group?: string) =>
  queryOptions({
    queryKey: ['vulns', 'latest', group],
    queryFn: ({ signal }) => call(latestVulns, { query: { timedelta: latest_days, group }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get vulnerabilities and exploits' },
  })

let visit: { since: string | undefined } | undefined

/** One visit lasts as long as the page: each organization is entered by loading it anew. */
const findSince = () => (visit ??= { since: noteVisit() }).since

export const deskQuery = () => {
  const since = findSince()
  return queryOptions({
    queryKey: ['vulns', 'desk', since],
    queryFn: ({ signal }) => call(homeDesk, { query: { since }, signal }),
    meta: { failure: 'Unable to get vulnerabilities and exploits' },
  })
}

export const newsQuery = queryOptions({
  queryKey: ['vulns', 'news'],
  queryFn: ({ signal }) => call(latestNews, { signal }),
  meta: { failure: 'Unable to get vulnerabilities and exploits' },
})

type Changes = { watched: ProductRow[]; unwatched: ProductRow[]; organization_id: number | undefined }

export const setProductsMutation = mutationOptions({
  mutationFn: ({ watched, unwatched, organization_id }: Changes) =>
    Promise.all([
      requestMonitored('product', ids(watched), { monitored: true, organization_id }),
      requestMonitored('product', ids(unwatched), { monitored: false, organization_id }),
    ]),
  onSuccess: (_replies, _changes, _result, { client }) => refreshMonitored(client, 'product'),
  meta: { success: 'Monitoring status successfuly updated.', failure: 'Unable to change the monitoring status' },
})

const ids = (products: ProductRow[]) => products.map(({ id }) => id)

export const updateContactEmailsMutation = mutationOptions({
  mutationFn: (body: { org_id: number; alerts_emails: string[] }) => call(updateOrgSettings, { body }),
  onSuccess: (_settings, _body, _result, { client }) => client.invalidateQueries({ queryKey: ['orgs'] }),
  meta: { failure: 'Unable to update organization settings :/' },
})
