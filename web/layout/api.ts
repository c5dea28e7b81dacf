import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { setOrg } from '../../worker/auth/contract'
import { syncInfo } from '../../worker/feeds/contract'
import { getOrgInfo } from '../../worker/orgs/contract'
import { call } from '../lib/call'
import { setOrganization } from '../session/session'

const freshness_ms = 60_000
const orgInfo_ms = 3_600_000

export const freshnessQuery = queryOptions({
  queryKey: ['feeds', 'info'],
  queryFn: ({ signal }) => call(syncInfo, { signal }),
  refetchInterval: freshness_ms,
})

export const orgInfoQuery = queryOptions({
  queryKey: ['orgs', 'info'],
  queryFn: ({ signal }) => call(getOrgInfo, { signal }),
  refetchInterval: orgInfo_ms,
})

/** Everything on screen belongs to the organization, so the page reloads. */
export const switchOrgMutation = mutationOptions({
  mutationFn: (id: number) => call(setOrg, { params: { id } }),
  onSuccess: ({ org_id, org_name }) => {
    setOrganization({ id: org_id, name: org_name })
    location.reload()
  },
  meta: { failure: 'Unable to get organisation' },
})
