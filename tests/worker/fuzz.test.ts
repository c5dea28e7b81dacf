import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { boundRoutes } from '../../worker/app'
import type { AnyEndpoint } from '../../worker/http/endpoint'
import { hostileTexts, hostileValues, likelyFields } from './support/from-schema'
import type { Fields, RequestWords } from './support/from-schema'
import { aKnownWorld, known } from './support/known-world'
import { rows } from './support/org'
import { aVictim, emptyOrg, signedInAs } from './support/victim'
import type { Victim } from './support/victim'
import type { World } from './support/world'
import { password } from '../support/credentials'

const seed = 20_261_120
const callers = ['member', 'org admin', 'global admin'] as const
type Caller = (typeof callers)[number]

let world: World
const realFetch = globalThis.fetch
beforeEach(async () => {
  world = await aKnownWorld()
  globalThis.fetch = async () => new Response('nobody is there', { status: 404 })
})
afterEach(() => {
  globalThis.fetch = realFetch
})

type Sent = { params: Fields; query: Fields; body: unknown; as: 'json' | 'form' | 'cut' }

const pickWords = ({ org_id, target, ...victim }: Victim): RequestWords => ({
  named: {
    org_id,
    organization_id: org_id,
    user_id: target.user_id,
    eid: victim.exploit_id,
    tid: victim.threat_id,
    comment_id: victim.comment_id,
    cveid: known.cveid,
    year: 2024,
    email: 'someone@example.org',
    emails: 'someone@example.org, other@example.org',
    link: 'https://acme.example/poc',
    password,
    status: 'fixed',
  },
  ids: [1, 2, 3, org_id, target.user_id, victim.exploit_id, victim.threat_id, victim.comment_id, victim.token_id],
  texts: [
    known.cveid,
    known.vendor,
    known.product,
    known.package.name,
    'PH-1',
    'CWE-79',
    '1.5',
    'true',
    '2026-11-20',
    'someone@example.org',
    'https://acme.example/poc',
    'cvss3>=9 AND kev',
    'cpe:2.3:a:acme:widget:1.5:*:*:*:*:*:*:*',
    'pkg:npm/%40acme/widget@1.5.0',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  ],
})

const likelyRequest = ({ params, query, body }: AnyEndpoint, words: RequestWords): fc.Arbitrary<Sent> =>
  fc.record({
    params: likelyFields(params, words),
    query: likelyFields(query, words),
    body: likelyFields(body, words),
    as: fc.constant<Sent['as']>('json'),
  })

/** The same with one thing wrong: a field of another kind, one that is missing, or no fields at all. */
const brokenRequest = (contract: AnyEndpoint, words: RequestWords): fc.Arbitrary<Sent> =>
  fc
    .record({
      sent: likelyRequest(contract, words),
      place: fc.constantFrom('params', 'query', 'body', 'body'),
      at: fc.nat(),
      value: fc.option(hostileValues, { nil: undefined }),
      isWhole: fc.integer({ min: 1, max: 5 }).map((one) => one === 1),
      as: fc.constantFrom<Sent['as']>('json', 'json', 'form', 'cut'),
    })
    .map(({ sent, place, at, value, isWhole, as }) => {
      if (place === 'body' && isWhole) return { ...sent, body: value, as }
      const fields = Object(place === 'body' ? sent.body : sent[place === 'query' ? 'query' : 'params']) as Fields
      const names = place === 'params' ? Object.keys(fields) : [...listNames(contract, place), ...Object.keys(fields)]
      const name = names[at % names.length]
      return name === undefined ? sent : { ...sent, as, [place]: { ...fields, [name]: value } }
    })

const listNames = (contract: AnyEndpoint, place: string) => {
  const schema = place === 'query' ? contract.query : contract.body
  return schema && 'shape' in schema ? Object.keys(schema.shape as object) : []
}

const pickText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
// A path part of dots would name another path.
const pathPart = (value: unknown) => encodeURIComponent(pickText(value).toWellFormed()).replace(/^\.*$/, '-')

async function send(contract: AnyEndpoint, { params, query, body, as }: Sent, authorization: string) {
  const path = contract.path.replace(/:(\w+)/g, (_, name: string) => pathPart(params[name]))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, pickText(value)]])),
  )
  const asForm = () => new URLSearchParams(Object.entries(Object(body)).map(([name, value]) => [name, pickText(value)]))
  const written = as === 'form' ? asForm() : as === 'cut' ? pickText(body).slice(0, -1) : (JSON.stringify(body) ?? '')
  return world.request(`${path}?${search}`, {
    method: contract.method,
    headers: { authorization, ...(as !== 'form' && { 'content-type': 'application/json' }) },
    ...(contract.method !== 'GET' && { body: written }),
  })
}

/** What is wrong with an answer, or null. Some answers are files or partial rows, which no schema describes. */
async function findFault({ path, reply, status: success = 200 }: AnyEndpoint, response: Response, isSparse: boolean) {
  const text = await response.text()
  const { status } = response
  // 502 reports a failure outside of Earshot.
  if (status >= 500 && !(status === 502 && path === '/users/org/sso')) return `${status} ${text.slice(0, 300)}`
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  if (status === success && (!isJson || isSparse)) return null
  if (!isJson) return `${status} is no JSON: ${text.slice(0, 100)}`
  const body: unknown = JSON.parse(text)
  if (status !== success) return isFailure(body) ? null : `${status} is not told as one: ${text.slice(0, 200)}`
  const parsed = reply.safeParse(body)
  return parsed.success ? null : `${status} breaks its schema: ${parsed.error.message.slice(0, 300)}`
}

const failureFields = ['code', 'message', 'detail']
const isFailure = (body: unknown) =>
  failureFields.every((name) => typeof (Object(body) as Fields)[name] === 'string' && (Object(body) as Fields)[name])

/** Somebody signed in to an organization that has one of everything. */
async function aScene(caller: Caller) {
  const victim = await aVictim(world)
  const admin = () => emptyOrg(world, 'root').then(({ aUser }) => aUser('admin', { is_admin: true }))
  const who = caller === 'global admin' ? await admin() : caller === 'org admin' ? victim.boss : victim.member
  await rows(world.env, 'DELETE FROM throttles')
  return { words: pickWords(victim), authorization: await signedInAs(world, who) }
}

test.each(callers)(
  'whatever is sent as %s, no answer is 5xx, each success fits its schema, and each failure tells code, message and detail',
  async (caller) => {
    const faults: string[] = []
    const succeeded = new Set<AnyEndpoint>()
    let scene = await aScene(caller)
    for (const [at, { contract }] of boundRoutes.entries()) {
      const sample = { seed: seed + at * callers.length + callers.indexOf(caller), numRuns: 2 }
      const requests = [
        ...fc.sample(likelyRequest(contract, scene.words), sample),
        ...fc.sample(brokenRequest(contract, scene.words), sample),
      ]
      for (const sent of requests) {
        const response = await send(contract, sent, scene.authorization)
        if (response.ok) succeeded.add(contract)
        const fault = await findFault(contract, response, 'fields' in sent.query)
        if (fault) faults.push(`${contract.method} ${contract.path} ${JSON.stringify(sent).slice(0, 500)}: ${fault}`)
      }
      // A call may have changed what the next route needs, even the caller.
      if (contract.method !== 'GET') scene = await aScene(caller)
    }
    expect(faults, `seed ${seed}`).toEqual([])
    // If most requests were refused, this would test little.
    expect(succeeded.size / boundRoutes.length).toBeGreaterThan(caller === 'member' ? 0.4 : 0.5)
  },
  60_000,
)

const textFields = /^(search|q|term|version|cpe|vendor_name|summary__icontains)$/
const asked = boundRoutes.flatMap(({ contract }) =>
  contract.method === 'GET'
    ? [
        ...listNames(contract, 'query')
          .filter((name) => textFields.test(name))
          .map((name) => ({ contract, name, isPath: false })),
        ...(contract.path.includes(':query') || contract.path.includes(':cveid')
          ? [{ contract, name: /:(query|cveid)/.exec(contract.path)?.[1] ?? '', isPath: true }]
          : []),
      ]
    : [],
)

test('any text is answered wherever one may be searched for', async () => {
  const { authorization } = await aScene('member')
  const faults: string[] = []
  for (const { contract, name, isPath } of asked)
    for (const text of hostileTexts) {
      const params: Fields = { id: 1, format: 'json', ...(isPath && { [name]: text }) }
      const sent: Sent = { params, query: isPath ? {} : { [name]: text }, body: undefined, as: 'json' }
      const fault = await findFault(contract, await send(contract, sent, authorization), false)
      if (fault) faults.push(`${contract.path} ${name}=${JSON.stringify(text).slice(0, 60)}: ${fault}`)
    }
  expect(faults).toEqual([])
}, 60_000)

test('any text in the address of a public page is answered by a page', async () => {
  const faults: string[] = []
  for (const text of hostileTexts)
    for (const path of [
      `/public/search?q=${pathPart(text)}`,
      `/public/search/${pathPart(text)}`,
      `/public/vulns/${pathPart(text)}`,
      `/public/newsletter/confirm/${pathPart(text)}`,
    ]) {
      const { status, headers } = await world.request(path)
      const isPage = headers.get('content-type')?.startsWith('text/html')
      if (status >= 500 || (status !== 302 && !isPage)) faults.push(`${path.slice(0, 100)}: ${status}`)
    }
  expect(faults).toEqual([])
})

test('an address that is not well encoded is answered as one that is not there', async () => {
  const { authorization } = await aScene('member')
  const faults: string[] = []
  for (const path of [
    '/api/search/',
    '/api/vulns/',
    '/api/kb/cwe/',
    '/api/public/vulns/cve/',
    '/api/search-target?term=',
  ])
    for (const part of ['%', '%ff', '%ED%A0%80', '%C3%28', '%00', '%2F..%2F', '%u0041']) {
      const response = await world.request(`${path}${part}`, { headers: { authorization } })
      const body: unknown = await response.json()
      if (response.status >= 500 || (!response.ok && !isFailure(body)))
        faults.push(`${path}${part}: ${response.status}`)
    }
  expect(faults).toEqual([])
})

test.each([
  ['text/plain', '{"monitored":true}'],
  ['application/json', '{"monitored":'],
  ['application/json', '\u0000'],
  ['application/json; charset=utf-16', '{"monitored":true}'],
  ['multipart/form-data', 'monitored=true'],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="monitored"\r\n\r\ntrue'],
  ['application/x-www-form-urlencoded', '%=%&monitored=%ff&&='],
  ['application/json', '['.repeat(200_000)],
  ['application/json', `{"monitored":${'1'.repeat(1_000_000)}}`],
  ['', '{}'],
])('a body that is announced as %j is answered (%#)', async (type, body) => {
  const { authorization } = await aScene('member')
  for (const [method, path] of [
    ['PUT', '/api/vulns/1/toggle'],
    ['POST', '/api/vulns/1/comments'],
    ['POST', '/api/alerts/newsletter'],
  ] as const) {
    const response = await world.request(path, { method, headers: { authorization, 'content-type': type }, body })
    const answer: unknown = await response.json()
    expect([response.status < 500, response.ok || isFailure(answer)], JSON.stringify(answer)).toEqual([true, true])
  }
})

test('of several edits that have read the same, one is written and the others are told', async () => {
  const { authorization } = await aScene('org admin')
  const ask = async (method: string, path: string, body: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    return world.request(path, { method, headers, body: JSON.stringify(body) })
  }
  const race = async (edit: (word: string) => Promise<Response>) => {
    const answers = await Promise.all(['a', 'b', 'c'].map(edit))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  }
  const made = async (path: string, body: object) =>
    ((await (await ask('POST', path, body)).json()) as { id: number }).id

  const id = await made('/api/vulns/add', { summary: 'Ours' })
  const shown = await world.request(`/api/vulns/${id}/edit`, { headers: { authorization } })
  const { version } = (await shown.json()) as { version: string }
  await race((word) => ask('POST', '/api/vulns/edit', { id, version, summary: `Ours ${word}` }))

  const comment = await made('/api/vulns/1/comments', { body: 'Ours' })
  await race((word) => ask('PUT', `/api/vulns/1/comments/${comment}`, { body: `Ours ${word}`, updated_at: null }))
})
