import { expect, test, vi } from 'vitest'
import { currentUser } from '../../worker/auth/contract'
import { keyFor } from '../../worker/auth/keys'
import { signAccess, verifyAccess } from '../../worker/auth/tokens'
import { listAudit } from '../../worker/orgs/contract'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { anOrg, caller, rows } from './support/org'
import { obtain, post, postTotp, withTotp } from './support/sign-in'
import { aWorld } from './support/world'
import { currentCode } from '../support/credentials'

const [old, next] = ['only-for-tests-the-old-secret-0123456789', 'only-for-tests-the-next-secret-123456789']

test('a new secret ends no session and loses no second factor; a day later the old one may go', async () => {
  const before = aWorld({ APP_SECRET: old })
  const org = await anOrg({ world: before, is_org_admin: true })
  const { org_id, username } = org
  const { secret } = await withTotp(org)
  await org.call(inviteUsers, { params: { org_id }, body: { emails: 'x@example.org' } })

  const during = aWorld({ APP_SECRET: next, APP_SECRET_PREVIOUS: old })
  expect((await caller(during, org.access).answer(currentUser)).status).toBe(200)
  expect((await caller(during, org.access).call(listAudit)).is_intact).toBe(true)
  const { body } = await post(during, '/api/public/jwt-auth/refresh-token/', { refresh: org.refresh })
  expect((await caller(during, body.access ?? '').answer(currentUser)).status).toBe(200)
  const { token } = (await obtain(during, { username })).body
  expect((await postTotp(during, token, currentCode(secret))).status).toBe(200)

  await during.tick(new Date(), '17 3 * * *')
  await rows(during.env, 'UPDATE users SET totp_last_step = 0')
  const after = aWorld({ APP_SECRET: next })
  expect((await caller(after, org.access).answer(currentUser)).status).toBe(401)
  expect((await caller(after, body.access ?? '').call(listAudit)).is_intact).toBe(true)
  const owed = (await obtain(after, { username })).body
  expect((await postTotp(after, owed.token, currentCode(secret))).status).toBe(200)
})

test('a caller who goes before a key was made keeps nobody waiting for it', async () => {
  const { env } = aWorld()
  const making = vi.spyOn(crypto.subtle, 'deriveBits').mockReturnValueOnce(new Promise(() => undefined))
  void keyFor(env, 'a key of a caller who has gone')
  await vi.waitFor(() => expect(making).toHaveBeenCalled())
  expect(await keyFor(env, 'a key of a caller who has gone')).toHaveLength(32)
  making.mockRestore()
})

test('the kid of a token chooses the key, and one that names no secret of ours is refused', async () => {
  const { env } = aWorld({ APP_SECRET: next, APP_SECRET_PREVIOUS: old })
  const now = new Date()
  const token = await signAccess({ ...env, APP_SECRET: old }, { user_id: 1, session_id: 2, session_secret: 'abc' }, now)
  expect(await verifyAccess(env, token, now)).toEqual({ user_id: 1, session_id: 2, session_secret: 'abc' })
  const [, payload, signature] = token.split('.')
  for (const header of [{ alg: 'HS256', kid: 'unknown' }, { alg: 'HS256' }, { alg: 'none', kid: 'x' }]) {
    const forged = [Buffer.from(JSON.stringify(header)).toString('base64url'), payload, signature].join('.')
    await expect(verifyAccess(env, forged, now)).rejects.toThrow(/invalid or expired/)
  }
})
