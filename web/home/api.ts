import { mutationOptions } from '@tanstack/react-query'
import type { ProductRow } from '../../worker/kb/contract'
import { updateOrgSettings } from '../../worker/alerts/settings-contract'
import { closeFirstSteps, homeDesk, listFirstSteps, latestNews, latestVulns } from '../../worker/home/contract'
import { askFor, askPage, change } from '../lib/ask'
import { call } from '../lib/call'
import { noteVisit } from './last-visit'
import { refreshMonitored, requestMonitored } from '../watchlist/api'

export const latest_days = 30

export const latestQuery = (group?: string) =>
  askPage(
    ['vulns', 'latest', group],
    latestVulns,
    { query: { timedelta: latest_days, group } },
    'Unable to get vulnerabilities and exploits',
  )

let visit: { since: string | undefined } | undefined

/** One visit lasts as long as the page: each organization is entered by loading it anew. */
const findSince = () => (visit ??= { since: noteVisit() }).since

export const deskQuery = () => {
  const since = findSince()
  return askFor(['vulns', 'desk', since], homeDesk, { query: { since } }, 'Unable to get vulnerabilities and exploits')
}

export const firstStepsQuery = askFor(['orgs', 'first steps'], listFirstSteps, {})

export const closeStepsMutation = change([['orgs', 'first steps']], () => call(closeFirstSteps), {
  failure: 'Unable to close the first steps',
})

export const newsQuery = askFor(['vulns', 'news'], latestNews, {}, 'Unable to get vulnerabilities and exploits')

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

export const updateContactEmailsMutation = change(
  [['orgs']],
  (body: { org_id: number; alerts_emails: string[] }) => call(updateOrgSettings, { body }),
  { failure: 'Unable to update organization settings :/' },
)
