import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { setOrg } from '../../worker/auth/contract'
import { syncInfo } from '../../worker/feeds/contract'
import { getOrgInfo, stopActing } from '../../worker/orgs/contract'
import { call } from '../lib/call'
import { enterOrg, goHome } from '../session/enter-org'
import { rememberOrg } from '../session/known-org'

const freshness_ms = 60_000
const orgInfo_ms = 3_600_000

export const freshnessQuery = queryOptions({
  queryKey: ['feeds', 'info'],
  queryFn: ({ signal }) => call(syncInfo, { signal }),
  refetchInterval: freshness_ms,
})

export const orgInfoQuery = queryOptions({
  queryKey: ['orgs', 'info'],
  queryFn: async ({ signal }) => rememberOrg(await call(getOrgInfo, { signal })),
  refetchInterval: orgInfo_ms,
})

export const switchOrgMutation = mutationOptions({
  mutationFn: (id: number) => call(setOrg, { params: { id } }),
  onSuccess: async (org) => {
    await enterOrg(org)
    location.reload()
  },
  meta: { failure: 'Unable to get organisation' },
})

export const stopActingMutation = mutationOptions({
  mutationFn: async () => enterOrg(await call(stopActing, { body: {} })),
  onSuccess: goHome,
  meta: { failure: 'Unable to leave the organization' },
})
