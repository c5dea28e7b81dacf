import { mutationOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { checkSsoDomain, getSso, removeSso, setSso } from '../../../worker/orgs/sso/contract'
import type { SsoSettings } from '../../../worker/orgs/sso/contract'
import { askFor } from '../../lib/ask'
import { call } from '../../lib/call'

export type Sso = z.output<typeof SsoSettings>
type SsoChange = Pick<Sso, 'issuer' | 'client_id' | 'email_domains' | 'is_enabled'> & { client_secret?: string }

export const ssoQuery = askFor(['orgs', 'sso'], getSso, {}, 'Unable to get the single sign-on settings')

export const updateSsoMutation = mutationOptions({
  mutationFn: (body: SsoChange) => call(setSso, { body }),
  onSuccess: (settings, _change, _result, { client }) => client.setQueryData(ssoQuery.queryKey, settings),
  meta: { success: 'Single sign-on updated', failure: 'Unable to update single sign-on' },
})

export const proveDomainMutation = mutationOptions({
  mutationFn: (domain: string) => call(checkSsoDomain, { params: { domain }, body: {} }),
  onSuccess: (settings, _domain, _result, { client }) => client.setQueryData(ssoQuery.queryKey, settings),
  meta: { success: 'The domain is verified', failure: (error: Error) => error.message },
})

export const removeSsoMutation = mutationOptions({
  mutationFn: () => call(removeSso),
  onSuccess: (_reply, _nothing, _result, { client }) => client.resetQueries({ queryKey: ssoQuery.queryKey }),
  meta: { success: 'Single sign-on removed', failure: 'Unable to remove single sign-on' },
})
