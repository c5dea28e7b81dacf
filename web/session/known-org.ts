import * as z from 'zod'
import { getOrgInfo } from '../../worker/orgs/contract'
import { call } from '../lib/call'
import { findKept, keep } from '../lib/kept'

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
  try {
    const known = KnownOrg.parse(JSON.parse(findKept(storageKey) ?? ''))
    return known.org_id === org_id ? known : undefined
  } catch {
    return undefined
  }
}

/** Asks on the way in, so that the first screen stands at once; the screen asks again and tells a failure. */
export const lookAtOrg = () =>
  call(getOrgInfo)
    .then(rememberOrg)
    .catch((): undefined => undefined)
