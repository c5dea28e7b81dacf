import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { getProfile } from '../../worker/account/contract'
import { currentUser } from '../../worker/auth/contract'
import { startSso } from '../../worker/auth/sso/contract'
import { verifyPassword } from '../../worker/auth/password/password'
import { setSso } from '../../worker/orgs/sso/contract'
import { anOrg, caller, expectAnswer, postJson } from './support/org'
import {
  anSsoOrg,
  begin,
  client,
  discovery,
  disturb,
  finish,
  isDiscovery,
  issuer,
  realFetch,
  restoreFetch,
  ssoSettings,
  signInAt,
  throughProvider,
} from './support/sso'
import { password } from '../support/credentials'

afterEach(restoreFetch)

test('a stranger of the domain becomes a user and a member without rights, and is known again', async () => {
  const { world, org_id } = await anSsoOrg()
  const first = await signInAt(world, 'Anna.Mueller@Example.org')
  const user = await first.call(currentUser)
  expect(user).toMatchObject({
    username: 'anna_mueller',
    email: 'anna.mueller@example.org',
    first_name: 'Anna',
    last_name: 'Müller',
    current_org: { org_id },
    is_admin: false,
    is_org_admin: false,
    profile: { manage_organization: false, manage_alert_email: false, manage_metadata: true },
  })
  const second = await signInAt(world, 'anna.mueller@example.org')
  expect((await second.call(currentUser)).id).toBe(user.id)
  expect(await world.sql`SELECT actor, action, target FROM audit_log WHERE action = 'user.sso'`).toEqual(
    [1, 2].map(() => ({ actor: 'anna_mueller', action: 'user.sso', target: 'anna_mueller' })),
  )
})

test('a username that is taken gets a number, a short one is filled up', async () => {
  const { world } = await anSsoOrg()
  await world.sql`UPDATE users SET username = 'Anna'`
  const names = []
  for (const email of ['anna@example.org', 'an@example.org'])
    names.push((await (await signInAt(world, email)).call(currentUser)).username)
  expect(names).toEqual(['anna_2', 'an__'])
})

test('a member is known by his address, and then by his subject, even when his address changes', async () => {
  const { world, user_id, email } = await anSsoOrg()
  expect((await (await signInAt(world, email)).call(currentUser)).id).toBe(user_id)
  await world.sql`UPDATE users SET email = 'other@example.org' WHERE id = ${user_id}`
  expect((await (await signInAt(world, email)).call(currentUser)).id).toBe(user_id)
})

test('two first sign-ins at once are one user', async () => {
  const { world } = await anSsoOrg()
  const answers = await Promise.all([1, 2].map(async () => throughProvider(await begin(world, 'anna@example.org'))))
  const waiting: (() => void)[] = []
  disturb(async ({ pathname }) => {
    if (pathname !== '/me') return undefined
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 2) for (const go of waiting) go()
    })
    return Response.json({ sub: 'anna@example.org', email: 'anna@example.org' })
  })
  const responses = await Promise.all(answers.map((answer) => finish(world, answer)))
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  expect(await world.sql`SELECT username FROM users WHERE email = 'anna@example.org'`).toHaveLength(1)
})

test('a user whom a provider brought has no password, and cannot sign in with any', async () => {
  const { world } = await anSsoOrg()
  const { call } = await signInAt(world, 'anna@example.org')
  expect(await call(getProfile)).toMatchObject({ has_password: false })
  const credentials = { username: 'anna@example.org', password }
  expect((await postJson(world, '/api/public/jwt-auth/obtain-token/', credentials)).status).toBe(401)
  expect(await verifyPassword('!', '!')).toBe(false)
})

test('a client that sends its secret in the body, and one provider that tells no verification, work too', async () => {
  const post = { client_id: 'earshot-post', client_secret: 'only-for-tests-post-secret' }
  const { world } = await anSsoOrg(post)
  disturb((url) =>
    isDiscovery(url) ? discovery({ token_endpoint_auth_methods_supported: ['client_secret_post'] }) : undefined,
  )
  expect((await signInAt(world, 'silent@example.org')).status).toBe(200)
})

test('an address of another organization is never taken over', async () => {
  const theirs = await anOrg()
  const { world } = await anSsoOrg()
  const { status, body } = await signInAt(world, theirs.email)
  expect([status, body.message]).toEqual([403, expect.stringMatching(/outside of this organization/)])
  expect(await world.sql`SELECT org_id FROM members WHERE user_id = ${theirs.user_id}`).toHaveLength(1)
})

test.each([
  ['belongs to another organization too', 'INSERT INTO members(org_id, user_id) VALUES (?1, ?2)'],
  ['is a global admin', 'UPDATE users SET is_admin = 1 WHERE ?1 > 0 AND id = ?2'],
])('a member who %s is not opened to the provider of one organization', async (_, sql) => {
  const elsewhere = await anOrg()
  const { world, user_id, email } = await anSsoOrg()
  await world.env.DB.prepare(sql).bind(elsewhere.org_id, user_id).run()
  const { status, body } = await signInAt(world, email)
  expect([status, body.message]).toEqual([403, expect.stringMatching(/reaches beyond this organization/)])
})

test.each([
  ['a disabled user', 'UPDATE users SET is_active = 0', /account is disabled/],
  ['a disabled member', 'UPDATE members SET is_active = 0', /account is disabled/],
  ['a member removed meanwhile', 'DELETE FROM members', /outside of this organization/],
  ['a disabled organization', 'UPDATE orgs SET is_active = 0', /organization is disabled/],
  ['a provider switched off meanwhile', 'UPDATE sso_providers SET is_enabled = 0', /switched off/],
  ['a provider exchanged meanwhile', "UPDATE sso_providers SET issuer = 'https://other.test'", /switched off/],
  ['a provider removed meanwhile', 'DELETE FROM sso_providers', /switched off/],
])('%s keeps out', async (_, sql, message) => {
  const { world, email } = await anSsoOrg()
  const answer = await throughProvider(await begin(world, email))
  await world.env.DB.prepare(sql).run()
  await expectAnswer(finish(world, answer), 403, { message: expect.stringMatching(message) })
})

test('an address without a provider is not found, nor is one whose provider or organization is switched off', async () => {
  const { world, call } = await anSsoOrg()
  const asked = async (email: string) => {
    const response = await caller(world, null).answer(startSso, { body: { email } })
    return [response.status, ((await response.json()) as { message: string }).message]
  }
  const none = [404, 'No single sign-on for this address']
  expect(await asked('anna@elsewhere.org')).toEqual(none)
  expect(await asked('anna@sub.example.org')).toEqual(none)
  await world.sql`UPDATE orgs SET is_active = 0`
  expect(await asked('anna@example.org')).toEqual(none)
  await world.sql`UPDATE orgs SET is_active = 1`
  await call(setSso, { body: { ...ssoSettings, is_enabled: false } })
  expect(await asked('anna@example.org')).toEqual(none)
})

test('a state works once, for ten minutes, and only as it was given', async () => {
  const { world } = await anSsoOrg()
  const answer = await throughProvider(await begin(world, 'anna@example.org'))
  expect((await finish(world, answer)).status).toBe(200)
  const late = await throughProvider(await begin(world, 'anna@example.org'))
  await world.sql`UPDATE challenges SET expires_at = '2026-01-01T00:00:00Z'`
  for (const refused of [answer, late, { ...answer, state: 'x'.repeat(43) }]) {
    await expectAnswer(finish(world, refused), 400, { code: 'sso_expired' })
  }
})

test.each([
  ['of a foreign domain', 'eve@elsewhere.org', /not within the domains/],
  ['that is not verified', 'unverified@example.org', /has not verified/],
  ['that it does not tell', 'nameless@example.org', /did not tell/],
])('a sign-in at the provider with an address %s is refused', async (_, account, message) => {
  const { world } = await anSsoOrg()
  const { status, body } = await signInAt(world, 'anna@example.org', account)
  expect([status, body.message]).toEqual([403, expect.stringMatching(message)])
  expect(await world.sql`SELECT id FROM users`).toHaveLength(1)
})

test('a tampered code, and a code of another sign-in, are refused', async () => {
  const { world } = await anSsoOrg()
  const another = async () => throughProvider(await begin(world, 'anna@example.org'))
  const [one, two, three] = [await another(), await another(), await another()]
  for (const answer of [
    { ...one, code: `${one.code}x` },
    { ...two, code: three.code },
  ]) {
    await expectAnswer(finish(world, answer), 502, {
      code: 'provider',
      message: expect.stringMatching(/answered 400 \(invalid_grant\)/),
    })
  }
})

test.each([
  ['names another provider', { iss: 'https://evil.test' }, 502],
  ['names none, although the provider always does', { iss: undefined }, 502],
  ['came back to the address of another organization', { org_id: 4711 }, 403],
])('an answer that %s is refused before its code is used', async (_, more, status) => {
  const { world } = await anSsoOrg()
  const answer = await throughProvider(await begin(world, 'anna@example.org'))
  expect(answer.iss).toBe(issuer)
  const asked: string[] = []
  disturb(({ pathname }) => {
    asked.push(pathname)
    return undefined
  })
  expect((await finish(world, { ...answer, ...more })).status).toBe(status)
  expect(asked).not.toContain('/token')
})

test('a wrong client secret is told as what the provider says', async () => {
  const { world } = await anSsoOrg({ client_secret: 'wrong' })
  const { status, body } = await signInAt(world, 'anna@example.org')
  expect([status, body.message]).toEqual([502, expect.stringMatching(/invalid_client/)])
})

const disturbances: [string, () => Response | Promise<Response>, RegExp][] = [
  ['is down', () => realFetch('http://127.0.0.1:1'), /could not be reached/],
  ['fails', () => new Response('oops', { status: 500 }), /answered 500/],
  ['names another issuer', () => discovery({ issuer: 'https://evil.test' }), /calls itself https:\/\/evil\.test/],
  [
    'sends us elsewhere',
    () => new Response(null, { status: 302, headers: { location: 'https://evil.test' } }),
    /sent us/,
  ],
  ['answers a page', () => new Response('<html>'), /not answer as expected/],
  ['answers without end', () => new Response('x'.repeat(100_001)), /more than 100 kB/],
  ['has an endpoint in the clear', () => discovery({ token_endpoint: 'http://evil.test/' }), /token_endpoint/],
]
test.each(disturbances)(
  'a provider that %s is an error with its words, at settings and sign-in',
  async (_, answer, words) => {
    const { world, answer: ask } = await anSsoOrg()
    disturb((url) => (isDiscovery(url) ? answer() : undefined))
    const responses = [
      await caller(world, null).answer(startSso, { body: { email: 'anna@example.org' } }),
      await ask(setSso, { body: ssoSettings }),
    ]
    for (const response of responses)
      expect([response.status, await response.json()]).toEqual([
        502,
        expect.objectContaining({ code: 'provider', message: expect.stringMatching(words) }),
      ])
  },
)

const keys = await generateKeyPair('RS256')
const others = await generateKeyPair('RS256')
const now = () => Math.floor(Date.now() / 1000)
const signed = (claims: object, key = keys.privateKey) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256' }).sign(key)

const idTokens: [string, number, (claims: object) => string | Promise<string>][] = [
  ['as it should be', 200, (claims) => signed(claims)],
  ['with a foreign nonce', 502, (claims) => signed({ ...claims, nonce: 'foreign' })],
  ['without a nonce', 502, (claims) => signed({ ...claims, nonce: undefined })],
  ['for another client', 502, (claims) => signed({ ...claims, aud: 'other' })],
  ['handed to another client', 502, (claims) => signed({ ...claims, aud: ['other', client.client_id], azp: 'other' })],
  ['of another issuer', 502, (claims) => signed({ ...claims, iss: 'https://evil.test' })],
  ['that has run out', 502, (claims) => signed({ ...claims, exp: now() - 120 })],
  ['that never runs out', 502, (claims) => signed({ ...claims, exp: undefined })],
  ['signed by another key', 502, (claims) => signed(claims, others.privateKey)],
  ['without a signature', 502, (claims) => new UnsecuredJWT({ ...claims }).encode()],
  [
    'signed with the client secret',
    502,
    (claims) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(client.client_secret)),
  ],
  ['without a subject', 502, (claims) => signed({ ...claims, sub: undefined })],
]
test.each(idTokens)('an ID token %s answers %i', async (_, status, make) => {
  const { world } = await anSsoOrg()
  const url = await begin(world, 'anna@example.org')
  const answer = await throughProvider(url)
  const claims = {
    iss: issuer,
    sub: 'anna',
    aud: client.client_id,
    nonce: url.searchParams.get('nonce'),
    iat: now(),
    exp: now() + 60,
    email: 'anna@example.org',
    email_verified: 'true',
  }
  const id_token = await make(claims)
  const jwk = await exportJWK(keys.publicKey)
  disturb(({ pathname }) => {
    if (pathname === '/jwks') return Response.json({ keys: [jwk] })
    return pathname === '/token' ? Response.json({ id_token }) : undefined
  })
  const response = await finish(world, answer)
  expect(response.status).toBe(status)
  if (status !== 200) expect(await response.json()).toMatchObject({ code: 'provider' })
})
