import { expect, test } from 'vitest'
import { createToken, renewDefaultToken } from '../../worker/account/access-contract'
import {
  checkPassword,
  createTotp,
  getProfile,
  passkeyProofOptions,
  provePasskey,
  updateProfile,
} from '../../worker/account/contract'
import { addPasskey, listPasskeys, passkeyOptions, removePasskey } from '../../worker/account/passkeys-contract'
import { confirmReset } from '../../worker/auth/contract'
import { anAuthenticator } from './support/authenticator'
import { tokenMailedTo } from './support/member'
import { anOrg, caller } from './support/org'
import { type Org, post, withTotp } from './support/sign-in'
import { password } from '../support/credentials'

type Options = { challenge: string; user: { id: string } }
const stale = ({ world }: Pick<Org, 'world'>) => world.sql`UPDATE sessions SET proved_at = '2026-01-01T00:00:00Z'`

async function aPasskey({ call }: Pick<Org, 'call'>) {
  const device = await anAuthenticator()
  const { challenge_id, options } = await call(passkeyOptions, { body: {} })
  const response = await device.create(options as Options)
  await call(addPasskey, { body: { challenge_id, name: 'Laptop', response } })
  return device
}

test('a session that was left open opens no other way in and closes no factor, until its user is proved', async () => {
  const org = await anOrg()
  await withTotp(org)
  await aPasskey(org)
  const [kept] = await org.call(listPasskeys)
  const remove = () => org.answer(removePasskey, { params: { id: kept?.id ?? 0 } })
  const begun = await org.call(passkeyOptions, { body: {} })
  const device = await anAuthenticator()
  const response = await device.create(begun.options as Options)
  await stale(org)
  const statuses = async () =>
    Promise.all(
      [
        org.answer(passkeyOptions),
        org.answer(createToken, { body: { name: 'script' } }),
        org.answer(renewDefaultToken),
        org.answer(createTotp),
        org.answer(updateProfile, { body: { mfa_enabled: true } }),
        org.answer(updateProfile, { body: { mfa_enabled: false } }),
        org.answer(addPasskey, { body: { challenge_id: begun.challenge_id, name: 'Late', response } }),
        remove(),
      ].map(async (one) => (await one).status),
    )
  expect(await statuses()).toEqual([403, 403, 403, 403, 403, 403, 403, 403])
  await org.call(checkPassword, { body: { password } })
  expect((await org.answer(createToken, { body: { name: 'script' } })).status).toBe(201)
  expect((await remove()).status).toBe(200)
})

test('a passkey is a proof, too: of its owner, in the session that asks, once', async () => {
  const org = await anOrg()
  const other = await anOrg({ world: org.world })
  const [device, foreign] = [await aPasskey(org), await aPasskey(other)]
  await stale(org)
  const begin = () => org.call(passkeyProofOptions, { body: {} })
  const prove = (challenge_id: string, response: object, as = org) =>
    as.answer(provePasskey, { body: { challenge_id, response } })

  const first = await begin()
  expect((await prove(first.challenge_id, await foreign.get(first.options as Options))).status).toBe(403)
  const second = await begin()
  expect((await prove(second.challenge_id, await device.get({ challenge: 'bm90IG91cnM' }))).status).toBe(403)
  const third = await begin()
  expect((await prove(third.challenge_id, await device.get(third.options as Options), other)).status).toBe(403)
  expect((await org.answer(createToken, { body: { name: 'script' } })).status).toBe(403)

  const { challenge_id, options } = await begin()
  const answer = await device.get(options as Options)
  expect((await prove(challenge_id, answer)).status).toBe(200)
  expect((await prove(challenge_id, answer)).status).toBe(403)
  expect((await org.answer(createToken, { body: { name: 'script' } })).status).toBe(201)
})

test.each([
  [false, 0],
  [true, 1],
])('a reset with keep_access %s leaves %i passkeys and tokens', async (keep_access, count) => {
  const org = await anOrg()
  const { world, email } = org
  await aPasskey(org)
  await org.call(createToken, { body: { name: 'script' } })
  await post(world, '/password_reset/', { email })
  const token = await tokenMailedTo(world, email)
  await caller(world, null).call(confirmReset, { body: { token, password: 'Other-Stable-8?', keep_access } })
  expect(await world.sql`SELECT 1 FROM passkeys`).toHaveLength(count)
  expect(await world.sql`SELECT 1 FROM api_tokens`).toHaveLength(count)
})

test('an API token changes names, and never the second factor', async () => {
  const { world, call } = await anOrg()
  const { token } = await call(createToken, { body: { name: 'CI', scope: 'write' } })
  const update = (body: object) =>
    world.request('/users/profile/update', {
      method: 'POST',
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await update({ first_name: 'Ada' })).status).toBe(200)
  for (const mfa_enabled of [true, false]) expect((await update({ first_name: 'Eve', mfa_enabled })).status).toBe(403)
  expect(await call(getProfile)).toMatchObject({ first_name: 'Ada', mfa_enabled: false })
})
