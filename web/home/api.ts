import { mutationOptions } from '@tanstack/react-query'
import type { ProductRow } from '../../worker/kb/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { syncInfo } from '../../worker/feeds/contract'
import {
  closeFirstSteps,
  homeDesk,
  latestNews,
  latestVulns,
  listFirstSteps,
  vulnStats,
} from '../../worker/home/contract'
import { askFor, askPage, change } from '../lib/ask'
import { call } from '../lib/call'
import type { Question } from '../lib/early'
import { refreshMonitored, requestMonitored } from '../watchlist/api'

export const latest_days = 30

const latestAsk = (group?: string) => [latestVulns, { query: { timedelta: latest_days, group } }] as const
export const latestQuery = (group?: string) =>
  askPage(['vulns', 'latest', group], ...latestAsk(group), 'Unable to get vulnerabilities and exploits')

const deskAsk = (since?: string) => [homeDesk, { query: { since } }] as const
export const deskQuery = (since?: string) =>
  askFor(['vulns', 'desk', since], ...deskAsk(since), 'Unable to get vulnerabilities and exploits')

export const firstStepsQuery = askFor(['orgs', 'first steps'], listFirstSteps, {})

export const closeStepsMutation = change([['orgs', 'first steps']], () => call(closeFirstSteps), {
  failure: 'Unable to close the first steps',
})

export const newsQuery = askFor(['vulns', 'news'], latestNews, {}, 'Unable to get vulnerabilities and exploits')

/** The first questions of the screen, for `early.ts`. */
export const homeAsks = (since?: string, group?: string): Question[] => [
  deskAsk(since),
  [syncInfo],
  [vulnStats],
  [latestNews],
  latestAsk(group),
]

type Changes = { watched: ProductRow[]; unwatched: ProductRow[] }

export const setProductsMutation = mutationOptions({
  mutationFn: ({ watched, unwatched }: Changes) =>
    Promise.all([requestMonitored('product', ids(watched), true), requestMonitored('product', ids(unwatched), false)]),
  onSuccess: (_replies, _changes, _result, { client }) => refreshMonitored(client, 'product'),
  meta: { success: 'Monitoring status successfuly updated.', failure: 'Unable to change the monitoring status' },
})

const ids = (products: ProductRow[]) => products.map(({ id }) => id)

export const updateContactEmailsMutation = change(
  [['orgs']],
  (body: { org_id: number; alerts_emails: string[] }) => call(updateOrgSettings, { body }),
  { failure: 'Unable to update organization settings :/' },
)
