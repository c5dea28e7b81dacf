import { expect, test } from 'vitest'
import { createToken, deleteDefaultToken, renewDefaultToken } from '../../worker/account/access-contract'
import { currentUser, logout, refreshToken, setOrg, verifyToken } from '../../worker/auth/contract'
import { signAccess } from '../../worker/auth/tokens'
import { anOrg, caller, expectAnswer, postJson, signInByPassword } from './support/org'
import { obtain, post } from './support/sign-in'
import { medianRatio } from './support/timing'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

const refresh = (world: ReturnType<typeof aWorld>, token: string) =>
  caller(world, null).answer(refreshToken, { body: { refresh: token } })

test('a user signs in by name or address in any case, and reads himself', async () => {
  const { world, username, email, org_id } = await anOrg({ is_org_admin: true })
  for (const name of [username, username.toUpperCase(), email.toUpperCase()]) {
    const { call } = await signInByPassword(world, name)
    expect(await call(currentUser)).toMatchObject({
      username,
      current_org: { org_id, org_name: expect.any(String) },
      is_admin: false,
      is_org_admin: true,
      profile: { manage_organization: true },
      orgs: [{ id: org_id }],
    })
  }
})

test('the owner of a default token sees its first characters, and nobody else does', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  for (const { call } of [ours, theirs, ours, theirs]) {
    await call(createToken, { body: { name: 'CI' } })
    const { token } = await call(renewDefaultToken)
    expect((await call(currentUser)).auth_token).toBe(token.slice(0, 8))
  }
  await theirs.call(deleteDefaultToken)
  expect((await theirs.call(currentUser)).auth_token).toBeNull()
})

test.each([
  ['a wrong password', { password: 'Wrong-Horse-9!' }],
  ['an unknown user', { username: 'nobody' }],
])('%s is refused with the same words', async (_, wrong) => {
  const { world, username } = await anOrg()
  const response = await postJson(world, '/api/public/jwt-auth/obtain-token/', { username, password, ...wrong })
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ code: 'wrong_credentials', detail: 'Wrong username or password' })
})

test(
  'status, words and time are the same for a wrong password and an unknown user',
  { timeout: 60_000, retry: 2 },
  async () => {
    const { world, username } = await anOrg()
    const wrong = { password: 'Wrong-Horse-9!' }
    const known = await obtain(world, { username, ...wrong })
    expect(await obtain(world, { username: 'nobody', ...wrong })).toEqual(known)
    const ratio = await medianRatio(
      () => obtain(world, { username, ...wrong }, { ip: '203.0.113.1' }),
      (time) => obtain(world, { username: `nobody${time}`, ...wrong }, { ip: '203.0.113.2' }),
      () => world.sql`DELETE FROM throttles`,
    )
    expect(ratio).toBeGreaterThan(0.8)
    expect(ratio).toBeLessThan(1.2)
  },
)

test('a sign-in on a device never used before is told by mail, the very first one is not', async () => {
  const { world, username, email } = await anOrg()
  const device = 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0'
  await obtain(world, { username }, { device, ip: '203.0.113.9' })
  await obtain(world, { username }, { device, ip: '203.0.113.8' })
  await world.drain()
  expect(world.mails).toEqual([expect.objectContaining({ to: email, subject: '[Earshot] New sign-in to Earshot' })])
  const text = world.mails[0]?.text ?? ''
  for (const word of ['Device: Firefox on Linux', '203.0.113.9', 'https://earshot.test/settings'])
    expect(text).toContain(word)
})

test('a form signs in too, and both spellings of the path work', async () => {
  const { world, username } = await anOrg()
  for (const path of ['/auth-jwt/obtain_jwt_token', '/auth-jwt/obtain_jwt_token/']) {
    const response = await world.request(path, { method: 'POST', body: new URLSearchParams({ username, password }) })
    expect(response.status).toBe(200)
  }
})

test('a registered user gets in with all of their name or address, and no more than these may hold is read', async () => {
  const { world, user_id } = await anOrg()
  const [username, email] = ['n'.repeat(128), `${'a'.repeat(60)}@${'long.'.repeat(30)}example.org`]
  await world.sql`UPDATE users SET username = ${username}, email = ${email} WHERE id = ${user_id}`
  for (const name of [username, email]) expect((await obtain(world, { username: name })).status).toBe(200)
  expect((await obtain(world, { username: 'n'.repeat(127) })).status).toBe(401)
  expect((await obtain(world, { username: 'n'.repeat(255) })).status).toBe(400)
})

test.each([
  [{ username: '', password }, 'Username is required'],
  [{ username: 'abc', password }, 'A username must be more than 3 characters long'],
  [{ username: 'a b c d', password }, "A username can only contain letters, digits and symbols '@.+-_'"],
  [{ username: 'admin', password: '' }, 'Password is required'],
  [{ username: 'admin', password: 'short' }, 'The password must be longer than 7 characters'],
])('bad input %j is a 400 that says what is wrong', async (body, message) => {
  const response = await postJson(aWorld(), '/api/public/jwt-auth/obtain-token/', body)
  expect(response.status).toBe(400)
  const { code, issues } = (await response.json()) as { code: string; issues: { message: string }[] }
  expect([code, issues.map((issue) => issue.message)]).toEqual(['invalid', expect.arrayContaining([message])])
})

test('a refresh token is exchanged for its successor; asked again at once it gives the same', async () => {
  const { world, refresh: first } = await anOrg()
  const one = (await (await refresh(world, first)).json()) as { refresh: string; access: string }
  const again = (await (await refresh(world, first)).json()) as { refresh: string }
  expect(again.refresh).toBe(one.refresh)
  expect(one.refresh).not.toBe(first)
  expect((await caller(world, one.access).call(currentUser)).is_authenticated).toBe(true)
})

test('a refresh token used again later ends the whole session: its successor and its access token die with it', async () => {
  const { world, refresh: first } = await anOrg()
  const next = (await (await refresh(world, first)).json()) as { refresh: string; access: string }
  await world.sql`UPDATE refresh_tokens SET used_at = '2026-01-01T00:00:00Z' WHERE used_at IS NOT NULL`
  expect((await refresh(world, first)).status).toBe(401)
  expect((await refresh(world, next.refresh)).status).toBe(401)
  expect((await caller(world, next.access).answer(currentUser)).status).toBe(401)
  expect(await world.sql`SELECT revoked_why FROM sessions`).toEqual([{ revoked_why: 'reuse' }])
})

test('tokens are stored only as hashes', async () => {
  const { world, refresh: token, access } = await anOrg()
  const stored = JSON.stringify(await world.sql`SELECT * FROM refresh_tokens`)
  expect(stored).not.toContain(token)
  expect(stored).not.toContain(access)
})

test('after logout neither token works', async () => {
  const { world, call, answer, refresh: token } = await anOrg()
  await call(logout, { body: {} })
  expect((await answer(currentUser)).status).toBe(401)
  expect((await refresh(world, token)).status).toBe(401)
})

const endings = {
  'a disabled user': 'UPDATE users SET is_active = 0',
  'a disabled membership': 'UPDATE members SET is_active = 0',
  'a disabled organization': 'UPDATE orgs SET is_active = 0',
}
test.each(Object.entries(endings))('%s loses access at once', async (_, sql) => {
  const { world, answer } = await anOrg()
  await world.env.DB.prepare(sql).run()
  await expectAnswer(answer(currentUser), 401, { code: 'token_not_valid' })
})

test('a token that is expired, foreign, unsigned or of another kind is not valid', async () => {
  const { world, user_id, access } = await anOrg()
  const [session] = await world.sql<{
    id: number
    secret: string
  }>`SELECT id, secret FROM sessions WHERE user_id = ${user_id}`
  const signedIn = { user_id, session_id: session?.id ?? 0, session_secret: session?.secret ?? '' }
  const expired = await signAccess(world.env, signedIn, new Date(Date.now() - 3_600_000))
  const foreign = await signAccess({ ...world.env, APP_SECRET: 'x'.repeat(40) }, signedIn, new Date())
  const other = await signAccess(world.env, { ...signedIn, session_secret: 'of another session' }, new Date())
  const unsigned = `${btoa('{"alg":"none"}')}.${access.split('.')[1]}.`
  for (const token of [expired, foreign, other, unsigned, 'nonsense']) {
    await expectAnswer(caller(world, token).answer(currentUser), 401, { code: 'token_not_valid' })
    expect((await caller(world, null).answer(verifyToken, { body: { token } })).status).toBe(401)
  }
  expect((await caller(world, null).answer(verifyToken, { body: { token: access } })).status).toBe(200)
})

test('switching goes to one of the own organizations; any other is not found', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  expect((await ours.answer(setOrg, { params: { id: theirs.org_id } })).status).toBe(404)
  await ours.world.sql`INSERT INTO members(org_id, user_id) VALUES (${theirs.org_id}, ${ours.user_id})`
  expect(await ours.call(setOrg, { params: { id: theirs.org_id } })).toMatchObject({
    status: 'set',
    org_id: theirs.org_id,
  })
  expect((await ours.call(currentUser)).current_org.org_id).toBe(theirs.org_id)
})

test('each day what has expired is taken away, and nothing else', async () => {
  const { world, username, call } = await anOrg()
  await obtain(world, { username: 'nobody', password: 'Wrong-Horse-9!' })
  await post(world, '/api/public/passkeys/options', {})
  await post(world, '/password_reset/', { email: `${username}@example.org` })
  const left = async () =>
    (
      await world.sql`SELECT (SELECT count(*) FROM throttles WHERE failures > 0) AS throttles, (SELECT count(*) FROM links) AS links,
         (SELECT count(*) FROM challenges) AS challenges, (SELECT count(*) FROM sessions) AS sessions`
    )[0]
  const daily = '17 3 * * *'
  const soon = new Date(Date.now() + 86_400_000).toISOString()
  await world.sql`UPDATE sessions SET expires_at = ${soon}`
  await world.tick(new Date(), daily)
  expect(await left()).toEqual({ throttles: 2, links: 1, challenges: 1, sessions: 1 })
  expect((await call(currentUser)).username).toBe(username)
  await world.tick(new Date(Date.now() + 40 * 86_400_000), daily)
  expect(await left()).toEqual({ throttles: 0, links: 0, challenges: 0, sessions: 0 })
})

test('the first global admin is made once, from the settings', async () => {
  const world = aWorld({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD: password, ADMIN_EMAIL: 'root@example.org' })
  await world.tick()
  await world.tick()
  const { call } = await signInByPassword(world, 'root')
  expect(await call(currentUser)).toMatchObject({
    is_admin: true,
    current_org: { org_name: 'Private' },
    email: 'root@example.org',
  })
  expect(await world.sql`SELECT count(*) AS n FROM users`).toEqual([{ n: 1 }])
})
