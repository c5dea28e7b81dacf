import * as z from 'zod'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { IdParams, Success } from '../http/fields'
import { WebAuthnJson } from './contract'

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
  method: 'POST',
  isOwnAccount: true,
  path: '/users/passkeys/options',
  access: 'member',
  summary: 'Begin to add a passkey',
  body: z.object({}),
  reply: z.object({ challenge_id: z.string(), options: WebAuthnJson }),
})

export const addPasskey = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/passkeys',
  access: 'member',
  summary: 'Add a passkey',
  body: z.object({ challenge_id: z.string().min(1).max(512), name: PasskeyName, response: WebAuthnJson }),
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
  method: 'DELETE',
  isOwnAccount: true,
  path: '/users/passkeys/:id',
  access: 'member',
  summary: 'Remove a passkey, after a proof of the last five minutes',
  params: IdParams,
  reply: Success,
})
