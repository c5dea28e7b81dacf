import { env as bindings } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import { currentUser } from '../../worker/auth/contract'
import type { AnyEndpoint } from '../../worker/http/endpoint'
import { eachTest } from './support/each-test'
import { hostileTexts, type Fields, type RequestWords } from './support/from-schema'
import { aKnownWorld } from './support/known-world'
import {
  brokenRequest,
  findFault,
  isFailure,
  likelyRequest,
  listFields,
  pathPart,
  pickWords,
  sendRequest,
} from './support/random-requests'
import type { Sent } from './support/random-requests'
import { aVictim, emptyOrg, signedInAs, type Victim } from './support/victim'

/** `stranger`: the admin of another organization, who knows the ids of this one. */
const callers = ['member', 'org admin', 'stranger', 'global admin'] as const
type Caller = (typeof callers)[number]
const given = bindings as unknown as { FUZZ_TIMES: string; FUZZ_SEED: string }
/** `FUZZ_TIMES=50` sends a million, as do 25 runs of `FUZZ_TIMES=2` with seeds of their own. */
const times = Number(given.FUZZ_TIMES)
const seed = Number(given.FUZZ_SEED)
/** Of each caller: 20,000 in all. */
const requestsEach = 5_000 * times

const realFetch = globalThis.fetch
const world = eachTest(aKnownWorld)
beforeEach(() => {
  globalThis.fetch = async () => new Response('nobody is there', { status: 404 })
})
afterEach(() => {
  globalThis.fetch = realFetch
})

/** Somebody signed in to an organization that has one of everything, who also knows what stands in `other`. */
async function aScene(caller: Caller, other?: Victim) {
  const own = caller === 'stranger' && other ? other : await aVictim(world)
  const someone = (is_admin: boolean) =>
    emptyOrg(world, 'root').then(({ aUser }) => aUser('admin', { is_admin, is_org_admin: true }))
  const who =
    caller === 'member' ? own.member : caller === 'org admin' ? own.boss : await someone(caller === 'global admin')
  await world.sql`DELETE FROM throttles`
  const words = pickWords(own)
  const known = other ? { ...words, ids: [...words.ids, ...pickWords(other).ids] } : words
  return { words: known, authorization: await signedInAs(world, who) }
}
type Scene = Awaited<ReturnType<typeof aScene>>

const routes = (await loadApi()).map(({ contract }) => contract)
const reads = routes.filter(({ method }) => method === 'GET')
const writes = routes.filter(({ method }) => method !== 'GET')
/** Hashing a password takes as long as twenty other calls. */
const isDear = (contract: AnyEndpoint) => listFields(contract, 'body').some((name) => name.includes('password'))
const together = 5

/** Half of a caller's requests are as the contract wants them. */
function sample(contract: AnyEndpoint, words: RequestWords, { count, at }: { count: number; at: number }) {
  const options = { seed: seed + at, numRuns: Math.ceil(count / 2) }
  const [likely, broken] = [
    fc.sample(likelyRequest(contract, words), options),
    fc.sample(brokenRequest(contract, words), options),
  ]
  return likely.flatMap((one, place) => [one, broken[place] ?? one]).slice(0, count)
}

async function askAll(contract: AnyEndpoint, requests: Sent[], { authorization }: Scene) {
  const faults: string[] = []
  let isAnswered = false
  for (let from = 0; from < requests.length; from += together)
    await Promise.all(
      requests.slice(from, from + together).map(async (sent) => {
        const response = await sendRequest(world, contract, sent, authorization)
        isAnswered ||= response.ok
        const fault = await findFault(contract, response, 'fields' in sent.query)
        if (fault) faults.push(`${contract.method} ${contract.path} ${JSON.stringify(sent).slice(0, 500)}: ${fault}`)
      }),
    )
  return { faults, isAnswered }
}

/** Each call may take away the session, the membership or what the next call needs. */
const isUsable = async ({ authorization }: Scene) =>
  (await world.request(currentUser.path, { headers: { authorization } })).ok

/** A scene serves this many writing routes that answered. */
const worn = 8

test.each(callers)(
  'no answer to %s is 5xx, whatever is sent: each success fits its schema, each failure tells code, message and detail, and the rows of another tenant stay',
  async (caller) => {
    const other = await aVictim(world)
    const faults: string[] = []
    const succeeded = new Set<AnyEndpoint>()
    let scene = await aScene(caller, other)
    let before = await other.fingerprint()
    const first = callers.indexOf(caller) * routes.length
    const few = 4 * times
    const writesEach = 30 * times
    const sentByWrites = writes.reduce((sum, one) => sum + (isDear(one) ? few : writesEach), 0)
    const readsEach = Math.ceil((requestsEach - sentByWrites) / reads.length)
    let sent = 0
    for (const [at, contract] of reads.entries()) {
      const requests = sample(contract, scene.words, { count: readsEach, at: first + at })
      const answered = await askAll(contract, requests, scene)
      sent += requests.length
      faults.push(...answered.faults)
      if (answered.isAnswered) succeeded.add(contract)
    }
    if (caller !== 'global admin') expect(await other.fingerprint()).toBe(before)
    let uses = 0
    for (const [at, contract] of writes.entries()) {
      const count = isDear(contract) ? few : writesEach
      const requests = sample(contract, scene.words, { count, at: first + reads.length + at })
      const answered = await askAll(contract, requests, scene)
      sent += requests.length
      faults.push(...answered.faults)
      if (caller !== 'global admin' && (await other.fingerprint()) !== before)
        throw new Error(`${contract.method} ${contract.path} changed rows of another tenant`)
      if (!answered.isAnswered) continue
      succeeded.add(contract)
      uses += 1
      if (uses % worn !== 0 && (await isUsable(scene))) continue
      scene = await aScene(caller, other)
      before = await other.fingerprint()
    }
    expect(faults, `seed ${seed}`).toEqual([])
    expect(sent).toBeGreaterThanOrEqual(requestsEach)
    // If most requests were refused, this would test little.
    const shares: Record<Caller, number> = { member: 0.4, 'org admin': 0.5, stranger: 0.4, 'global admin': 0.5 }
    expect(succeeded.size / routes.length).toBeGreaterThan(shares[caller])
  },
  300_000 * times,
)

const textFields = /^(search|q|term|version|cpe|vendor_name|summary__icontains)$/
const asked = (await loadApi()).flatMap(({ contract }) =>
  contract.method === 'GET'
    ? [
        ...listFields(contract, 'query')
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
      const fault = await findFault(contract, await sendRequest(world, contract, sent, authorization), false)
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
