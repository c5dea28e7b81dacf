import { queryOptions, useQuery } from '@tanstack/react-query'
import * as z from 'zod'
import { getOrgInfo } from '../../worker/orgs/contract'
import { call } from '../lib/call'
import { keep, readKept } from '../lib/kept'
import { useSession } from './session'

const storageKey = 'EarshotOrg'

const KnownOrg = z.object({
  org_id: z.int(),
  org_name: z.string(),
  is_read_only: z.boolean(),
  trial_ends_at: z.string().nullable(),
  removal_at: z.string().nullable().default(null),
  time_zone: z.string().default('UTC'),
})
type KnownOrg = z.output<typeof KnownOrg>

/** Keeps the answer for the next start, so that the screen does not move when the banner comes. */
export function rememberOrg<Info extends KnownOrg>(info: Info) {
  keep(storageKey, JSON.stringify(info))
  return info
}

/** Facts of this organization from the last look at it. */
export function knownOrg(org_id: number | undefined): KnownOrg | undefined {
  const known = KnownOrg.safeParse(readKept(storageKey)).data
  return known?.org_id === org_id ? known : undefined
}

/** Asks on the way in, so that the first screen stands at once; the screen asks again and tells a failure. */
export const lookAtOrg = () =>
  call(getOrgInfo)
    .then(rememberOrg)
    .catch((): undefined => undefined)

const orgInfo_ms = 3_600_000

export const orgInfoQuery = queryOptions({
  queryKey: ['orgs', 'info'],
  queryFn: async ({ signal }) => rememberOrg(await call(getOrgInfo, { signal })),
  refetchInterval: orgInfo_ms,
})

/** For a control that changes something: where nothing may be changed, it is disabled and says why, as the banner above it. */
export function useReadOnly(): { disabled?: true; title?: string } {
  const { org } = useSession()
  // The banner asks.
  const { data = knownOrg(org?.id) } = useQuery({ ...orgInfoQuery, enabled: false })
  if (!data?.is_read_only) return {}
  const reason = data.removal_at ? 'This organization is being removed' : 'The trial is over'
  return { disabled: true, title: `${reason}: nothing can be changed` }
}
