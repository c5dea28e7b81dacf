import * as z from 'zod'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { IdParams } from '../http/fields'
import { Ceremony, TokenText, WebAuthnJson } from '../auth/contract'
import { accountChange } from './contract'

export const PasskeyRow = z.object({
  id: z.int(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
})

const PasskeyName = NameText.min(1, 'Name is required').max(100)

export const listPasskeys = endpoint({
  path: '/users/passkeys',
  access: 'member',
  summary: 'The own passkeys',
  reply: z.array(PasskeyRow),
})

export const passkeyOptions = endpoint({
  ...accountChange,
  path: '/users/passkeys/options',
  summary: 'Begin to add a passkey',
  body: z.object({}),
  reply: Ceremony,
})

export const addPasskey = endpoint({
  ...accountChange,
  path: '/users/passkeys',
  summary: 'Add a passkey',
  body: z.object({ challenge_id: TokenText, name: PasskeyName, response: WebAuthnJson }),
  reply: PasskeyRow,
})

export const renamePasskey = endpoint({
  method: 'PUT',
  isOwnAccount: true,
  path: '/users/passkeys/:id',
  access: 'member',
  asksFirst: true,
  summary: 'Rename a passkey',
  params: IdParams,
  body: z.object({ name: PasskeyName }),
  reply: PasskeyRow,
})

export const removePasskey = endpoint({
  ...accountChange,
  method: 'DELETE',
  path: '/users/passkeys/:id',
  summary: 'Remove a passkey, after a proof of the last five minutes',
  params: IdParams,
})
