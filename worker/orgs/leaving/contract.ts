import * as z from 'zod'
import { NameText } from '../../domain/people/name'
import { endpoint } from '../../http/endpoint'
import { Flag, Success } from '../../http/fields'

export const leaveOrg = endpoint({
  method: 'POST',
  path: '/api/orgs/removal',
  access: 'orgAdmin',
  isOwnAccount: true,
  summary:
    'Remove the current organization in 14 days, perhaps with the own account; needs a fresh proof and its typed name',
  body: z.object({ name: NameText.max(200), with_account: Flag.default(false) }),
  reply: Success.extend({ removal_at: z.string() }),
})

export const restoreOrg = endpoint({
  method: 'DELETE',
  path: '/api/orgs/removal',
  access: 'orgAdmin',
  isOwnAccount: true,
  summary: 'Keep the current organization, which was to be removed',
})
