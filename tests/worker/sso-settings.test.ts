import { afterEach, expect, test } from 'vitest'
import { finishSso, startSso } from '../../worker/auth/sso/contract'
import { approveSsoDomain, checkSsoDomain, getSso, removeSso, setSso } from '../../worker/orgs/sso/contract'
import { anOrg, caller, expectAnswer } from './support/org'
import {
  aLocalWorld,
  anSsoOrg,
  client,
  discovery,
  disturb,
  isDiscovery,
  issuer,
  restoreFetch,
  ssoSettings,
  signInAt,
} from './support/sso'

afterEach(restoreFetch)

test('the settings are read, changed and removed; the secret stays within', async () => {
  const { world, org_id, call, answer } = await anOrg({ world: aLocalWorld(), is_org_admin: true })
  const none = { issuer: '', client_id: '', has_secret: false, email_domains: [], domains: [], is_enabled: false }
  expect(await call(getSso)).toEqual({ ...none, redirect_url: `http://localhost/sso/${org_id}` })
  expect((await answer(removeSso)).status).toBe(404)
  const { client_secret, ...open } = ssoSettings
  const domains = [expect.objectContaining({ domain: 'example.org', proved_at: null })]
  const shown = { ...open, domains, has_secret: true, redirect_url: `http://localhost/sso/${org_id}` }
  expect(await call(setSso, { body: ssoSettings })).toEqual(shown)
  expect(await call(setSso, { body: { ...open, issuer: `${issuer}/` } })).toEqual(shown)
  const response = await answer(getSso)
  const text = await response.text()
  expect(JSON.parse(text)).toEqual(shown)

  await world.sql`UPDATE sso_domains SET proved_at = '2026-01-01T00:00:00Z'`
  await signInAt(world, 'anna@example.org')
  expect(await call(removeSso)).toEqual({ status: 'success' })
  expect(await call(getSso)).toMatchObject(none)
  expect(await world.sql`SELECT * FROM sso_identities`).toEqual([])
  const log = await world.sql`SELECT * FROM audit_log WHERE org_id = ${org_id} ORDER BY seq`
  expect(log).toMatchObject(
    ['sso.set', 'sso.set', 'user.sso', 'user.sign_in', 'sso.remove'].map((action) => ({ action })),
  )
  expect(text + JSON.stringify(log)).not.toContain(client_secret)
})

test('the secret is encrypted at rest, and is not sent to another provider', async () => {
  const { world, answer, call } = await anSsoOrg()
  expect(JSON.stringify(await world.sql`SELECT * FROM sso_providers`)).not.toContain(client.client_secret)
  const other = { ...ssoSettings, issuer: issuer.replace('localhost', '127.0.0.1') }
  disturb((url) => (isDiscovery(url) && url.hostname === '127.0.0.1' ? discovery({ issuer: other.issuer }) : undefined))
  expect((await answer(setSso, { body: { ...other, client_secret: undefined } })).status).toBe(400)
  expect(await call(setSso, { body: { ...other, client_secret: '' } })).toMatchObject({ has_secret: false })
})

test.each([
  [{ issuer: 'http://example.org' }, 'issuer'],
  [{ issuer: 'ftp://localhost' }, 'issuer'],
  [{ issuer: 'https://user:secret@example.org' }, 'issuer'],
  [{ issuer: 'nonsense' }, 'issuer'],
  [{ email_domains: [] }, 'email_domains'],
  [{ email_domains: ['not a domain'] }, 'email_domains'],
  [{ email_domains: ['gmail.com'] }, 'email_domains'],
])('settings with %j are a 400 that names the field', async (more, field) => {
  const { answer } = await anOrg({ world: aLocalWorld(), is_org_admin: true })
  const response = await answer(setSso, { body: { ...ssoSettings, ...more } })
  expect(response.status).toBe(400)
  const { issues } = (await response.json()) as { issues: { path: string[] }[] }
  expect(issues[0]?.path[0]).toBe(field)
})

const there = {
  authorization_endpoint: 'https://idp.test/a',
  token_endpoint: 'https://idp.test/t',
  jwks_uri: 'https://idp.test/k',
}
const addresses: Record<string, string[]> = {
  'idp.test': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'inside.test': ['10.0.0.5'],
  'both.test': ['93.184.215.14', '127.0.0.1'],
}
test.each([
  ['http://localhost:8080', 400, /Must be an https address/],
  ['http://127.0.0.1:8080', 400, /Must be an https address/],
  ['https://localhost', 502, /localhost has no address/],
  ['https://127.0.0.1', 502, /not on the public internet/],
  ['https://[::ffff:10.0.0.1]', 502, /not on the public internet/],
  ['https://2130706433', 502, /not on the public internet/],
  ['https://inside.test', 502, /inside.test is not on the public internet/],
  ['https://both.test', 502, /both.test is not on the public internet/],
  ['https://nowhere.test', 502, /nowhere.test has no address/],
  ['https://idp.test', 200, /idp.test/],
])('a provider at %s is asked only where it is on the public internet', async (issuer_url, status, words) => {
  const { answer } = await anOrg({ is_org_admin: true })
  const asked: string[] = []
  disturb((url) => {
    const name = url.searchParams.get('name')
    if (name !== null) {
      const found = url.searchParams.get('type') === 'A' ? (addresses[name] ?? []) : []
      return Response.json({ Status: 0, Answer: found.map((data) => ({ type: data.includes(':') ? 28 : 1, data })) })
    }
    asked.push(url.origin)
    return Response.json({ issuer: url.origin, ...there })
  })
  const response = await answer(setSso, { body: { ...ssoSettings, issuer: issuer_url } })
  expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(words)])
  expect(asked).toEqual(status === 200 ? [issuer_url] : [])
})

test('a provider on the public internet sends nobody to ask within', async () => {
  const { answer, call, world } = await anOrg({ is_org_admin: true })
  const asked: string[] = []
  disturb((url) => {
    const name = url.searchParams.get('name')
    if (name !== null)
      return Response.json({
        Status: 0,
        Answer: (addresses[name] ?? []).map((data) => ({ type: data.includes(':') ? 28 : 1, data })),
      })
    asked.push(url.host)
    return Response.json({ issuer: 'https://idp.test', ...there, token_endpoint: 'https://inside.test/t' })
  })
  await call(setSso, { body: { ...ssoSettings, issuer: 'https://idp.test' } })
  await world.sql`UPDATE sso_domains SET proved_at = '2026-01-01T00:00:00Z', proved_by = 'dns'`
  const { url } = await caller(world, null).call(startSso, { body: { email: 'anna@example.org' } })
  const { org_id } = (await world.sql<{ org_id: number }>`SELECT org_id FROM sso_providers`)[0] ?? { org_id: 0 }
  const body = { code: 'x', state: new URL(url).searchParams.get('state'), org_id }
  const response = await caller(world, null).answer(finishSso, { body })
  expect([response.status, await response.text()]).toEqual([
    502,
    expect.stringMatching(/inside.test is not on the public/),
  ])
  expect(asked).not.toContain('inside.test')
  expect((await answer(getSso)).status).toBe(200)
})

test('a domain leads to the provider once its DNS holds the proof', async () => {
  const { call, answer, world, org_id } = await anOrg({ world: aLocalWorld(), is_org_admin: true })
  const { domains } = await call(setSso, { body: ssoSettings })
  const [claim] = domains
  expect(claim).toMatchObject({ domain: 'example.org', txt_name: '_earshot.example.org', proved_at: null })
  expect((await caller(world, null).answer(startSso, { body: { email: 'anna@example.org' } })).status).toBe(404)

  const check = { params: { domain: 'example.org' } }
  const asked: string[] = []
  const dns = (...data: string[]) =>
    disturb((url) => {
      if (url.pathname !== '/dns-query') return undefined
      asked.push(`${url.searchParams.get('type')} ${url.searchParams.get('name')}`)
      return Response.json({
        Status: 0,
        Answer: data.map((text) => ({ name: '_earshot.example.org', type: 16, data: text })),
      })
    })
  for (const wrong of [[], ['"v=spf1"'], [`"x${claim?.txt_value}"`], ['"earshot-domain-verification="']]) {
    dns(...wrong)
    await expectAnswer(answer(checkSsoDomain, check), 409, { code: 'not_proved' })
  }
  expect(asked.every((one) => one === 'TXT _earshot.example.org')).toBe(true)
  expect((await answer(checkSsoDomain, { params: { domain: 'elsewhere.org' } })).status).toBe(404)

  const value = claim?.txt_value ?? ''
  dns('"v=spf1"', `"${value.slice(0, 9)}" "${value.slice(9)}"`)
  expect((await call(checkSsoDomain, { ...check, body: {} })).domains[0]).toMatchObject({ proved_by: 'dns' })
  restoreFetch()
  expect((await caller(world, null).answer(startSso, { body: { email: 'anna@example.org' } })).status).toBe(200)
  expect((await call(setSso, { body: ssoSettings })).domains[0]).toMatchObject({ proved_by: 'dns' })
  const log = await world.sql`SELECT target FROM audit_log WHERE org_id = ${org_id} AND action = 'sso.prove_domain'`
  expect(log).toEqual([{ target: 'example.org' }])
})

test('a domain that was given up and claimed again is proved anew', async () => {
  const { call } = await anSsoOrg()
  await call(setSso, { body: { ...ssoSettings, email_domains: ['elsewhere.org'] } })
  expect((await call(setSso, { body: ssoSettings })).domains).toMatchObject([
    { domain: 'example.org', proved_at: null },
  ])
})

test('a global admin vouches for a domain, by setting it or by approving the claim of another organization', async () => {
  const root = await anOrg({ world: aLocalWorld(), is_org_admin: true, is_admin: true })
  const own = { ...ssoSettings, email_domains: ['elsewhere.org'] }
  expect((await root.call(setSso, { body: own })).domains).toMatchObject([{ proved_by: 'admin' }])
  const ours = await anOrg({ world: root.world, is_org_admin: true })
  await ours.call(setSso, { body: ssoSettings })
  const approval = { params: { id: ours.org_id, domain: 'example.org' } }
  expect((await ours.answer(approveSsoDomain, approval)).status).toBe(403)
  await root.call(approveSsoDomain, { ...approval, body: {} })
  expect((await ours.call(getSso)).domains).toMatchObject([{ proved_by: 'admin' }])
})

test('many may claim a domain, one has it: the other keeps its settings and its log', async () => {
  const ours = await anSsoOrg()
  const root = await anOrg({ world: ours.world, is_admin: true })
  const theirs = await anOrg({ world: ours.world, is_org_admin: true })
  await theirs.call(setSso, { body: ssoSettings })
  await expectAnswer(root.answer(approveSsoDomain, { params: { id: theirs.org_id, domain: 'example.org' } }), 400, {
    message: expect.stringMatching(/Another organization/),
  })
  expect(await ours.world.sql`SELECT action FROM audit_log WHERE org_id = ${theirs.org_id}`).toEqual([
    { action: 'sso.set' },
  ])
  expect((await ours.call(getSso)).domains).toMatchObject([{ proved_by: 'dns' }])
})

test('only admins of the organization read and set its provider; those of another one see and change nothing of it', async () => {
  const { world } = await anSsoOrg()
  const member = await anOrg({ world })
  const foreign = await anOrg({ world, is_org_admin: true })
  for (const [who, status] of [
    [caller(world, null), 401],
    [member, 403],
  ] as const) {
    const body = { ...ssoSettings, client_id: 'evil' }
    const answers = [await who.answer(getSso), await who.answer(setSso, { body }), await who.answer(removeSso)]
    expect(answers.map((one) => one.status)).toEqual([status, status, status])
  }
  expect(await foreign.call(getSso)).toMatchObject({ issuer: '', client_id: '', email_domains: [] })
  expect((await foreign.answer(removeSso)).status).toBe(404)
  expect(await world.sql`SELECT client_id FROM sso_providers`).toEqual([{ client_id: client.client_id }])
})
