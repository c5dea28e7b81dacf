import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import { openDb } from '../../worker/db/open'
import { newPrivateName } from '../../worker/domain/names/cve'
import { saveRecords } from '../../worker/merge/save-records'
import { aKnownWorld, known } from './support/known-world'
import { rows } from './support/org'
import { emptyOrg, signedInAs } from './support/victim'
import type { World } from './support/world'

/** Words in everything that A writes, which others search for. */
const texts = ['canary', 'widget', 'flaw visitor', known.cveid]
const params: Record<string, string> = {
  id: '1',
  cveid: known.cveid,
  name: known.vendor,
  query: 'widget',
  format: 'json',
  kind: 'vendors',
  schedule: 'daily',
  day: '2026-01-01',
  token: 'x',
}
const searches = texts.map((text) => `search=${encodeURIComponent(text)}`)
const scopes = ['vendor=1', 'product=1', 'package=1', 'product=1&product_version=1.5', 'monitored=true', 'kev=true']
const publicPages = [
  '/public/vulns/1',
  '/public/search',
  ...texts.map((text) => `/public/search?q=${encodeURIComponent(text)}`),
  '/sitemap.xml',
]

/** Every address that only reads, with each of the questions that it understands. */
const addresses = (await loadApi()).flatMap(({ contract: { method, alsoGet, path, query } }) => {
  if (method !== 'GET' || alsoGet) return []
  const names = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '1')
  const understood = query && 'shape' in query ? Object.keys(query.shape as object) : []
  const questions = [
    '',
    ...(understood.includes('search') ? searches : []),
    ...(understood.includes('cpe') ? scopes : []),
    ...(understood.includes('product') && !understood.includes('cpe') ? ['product=1&version=1.5'] : []),
    ...(understood.includes('version') && !understood.includes('product') ? ['version=1.5'] : []),
    ...(understood.includes('term') ? texts.map((text) => `term=${encodeURIComponent(text)}`) : []),
  ]
  return questions.map((question) => (question ? `${names}?${question}` : names))
})

type Caller = (path: string, init?: RequestInit) => Promise<Response>

/** A report as it would be now begins and ends with the clock. */
const withoutNow = (text: string) => text.replace(/"(?:starts|ends)_at":"[^"]*"/g, '')

async function everyAnswer(b: Caller, anybody: Caller) {
  const answers = new Map<string, string>()
  const read = async (who: string, path: string, ask: Caller) => {
    const response = await ask(path)
    answers.set(`${who} ${path}`, `${response.status} ${withoutNow(await response.text())}`)
  }
  for (const path of addresses) await read('b', path, b)
  for (const path of addresses.filter((one) => one.includes('/public/'))) await read('anybody', path, anybody)
  for (const path of publicPages) await read('anybody', path, anybody)
  return answers
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const own = (at: number) => ({
  summary: `A flaw canary ${at} in Widget lets a visitor run code`,
  cvss2_vector: 'AV:N/AC:L/Au:N/C:C/I:C/A:C',
  products: [1],
  is_exploitable: true,
  is_in_the_wild: true,
  monitored: true,
})

/** Writes of an analyst of A to public rows, and beside them. */
const writes: Record<string, (a: Caller, at: number) => Promise<Response>> = {
  'add a vulnerability': (a, at) => a('/api/vulns/add', post(own(at))),
  'add an exploit': (a, at) =>
    a('/api/vulns/1/exploits/add', post({ link: `https://canary.example/${at}`, notes: 'widget' })),
  'add a threat': (a, at) =>
    a('/api/vulns/1/threats/add', post({ link: `https://canary.example/${at}`, is_in_the_news: true })),
  comment: (a) => a('/api/vulns/1/comments', post({ body: 'canary' })),
  'set a status': (a) => a('/api/vulns/1/status/edit', post({ status: 'in_progress' })),
  assign: async (a) => {
    const { results } = (await (await a('/api/vulns/triage/assignees')).json()) as { results: { id: number }[] }
    return a('/api/vulns/triage/assign', post({ ids: [1], user_id: results[0]?.id }))
  },
  'mark as read': (a) => a('/api/vulns/triage/seen', post({ ids: [1] })),
  'monitor a vendor': (a) => a('/api/monitor/vendor/toggle', post({ vendor_id: 1, monitored: true })),
  'monitor the vulnerability': (a) => a('/api/vulns/1/toggle', post({ monitored: true })),
  'monitor a bulletin': (a) => a('/api/kb/bulletin/1/', { ...post({ monitored: true }), method: 'PUT' }),
  'send an inventory': (a, at) =>
    a(`/api/inventories/canary-${at}`, {
      method: 'PUT',
      body: JSON.stringify({
        bomFormat: 'CycloneDX',
        specVersion: '1.6',
        components: [{ type: 'library', name: 'canary', cpe: `cpe:2.3:a:${known.vendor}:widget:1.5:*:*:*:*:*:*:*` }],
      }),
    }),
  'import a list': (a, at) => {
    const lines = [`vendor,canary${at},canary`, `product,acme:widget,canary`]
    return a('/api/monitor/import', post({ file: ['type,value,groups', ...lines].join('\n') }))
  },
  'run a version': (a) =>
    a('/api/monitor/items', post({ kind: 'product', items: [{ id: 1, versions: ['1.5'], groups: ['canary'] }] })),
  'save a view': (a, at) => a('/api/views/', post({ name: `canary ${at}`, query: 'q=canary', is_shared: true })),
}
const names = Object.keys(writes)

async function twoTenants() {
  const world = await aKnownWorld()
  const caller = async (word: string): Promise<Caller & { org_id: number }> => {
    const { org_id, aUser } = await emptyOrg(world, word)
    const authorization = await signedInAs(world, await aUser('boss', { is_org_admin: true }))
    const ask: Caller = async (path, init) =>
      world.request(path, { ...init, headers: { ...init?.headers, authorization } })
    return Object.assign(ask, { org_id })
  }
  const [a, b] = [await caller('alpha'), await caller('beta')]
  await b('/api/vulns/1/toggle', post({ monitored: true }))
  await b('/api/monitor/product/toggle', post({ product_id: 1, monitored: true }))
  const anybody: Caller = async (path, init) => world.request(path, init)
  return { world, a, b, anybody }
}

const differing = (before: Map<string, string>, after: Map<string, string>) =>
  [...before].flatMap(([key, answer]) =>
    after.get(key) === answer ? [] : [`${key}\n  ${answer}\n  ${after.get(key)}`],
  )

const sequences = fc.sample(fc.array(fc.constantFrom(...names), { minLength: 3, maxLength: 8 }), 4)

test.each(sequences.map((sequence) => ({ sequence })))(
  'every answer that another organization and the public get stays the same to the byte, whatever one writes: $sequence',
  async ({ sequence }) => {
    const { a, b, anybody } = await twoTenants()
    const before = await everyAnswer(b, anybody)
    for (const [at, name] of ['monitor the vulnerability', ...sequence].entries())
      expect([name, (await writes[name]?.(a, at))?.ok]).toEqual([name, true])
    expect(differing(before, await everyAnswer(b, anybody))).toEqual([])
  },
  60_000,
)

test('no number of private rows crowds what everybody sees out of a list, a search or a timeline', async () => {
  const { world, a, b, anybody } = await twoTenants()
  const before = await everyAnswer(b, anybody)
  // Answers must be stable without writes, or no comparison here would prove anything.
  expect(differing(before, await everyAnswer(b, anybody))).toEqual([])
  await crowd(world, a.org_id)
  expect(differing(before, await everyAnswer(b, anybody))).toEqual([])
}, 180_000)

test('three hundred and eighty private vulnerabilities, sent one by one, blank no search and turn no verdict for others', async () => {
  const { a, b, anybody } = await twoTenants()
  type Found = { count: number; count_is_exact: boolean; results: { cveid: string }[] }
  const ask = async (who: Caller, path: string) => (await who(path)).json()
  const find = async (who: Caller, path: string) => {
    const { count, count_is_exact, results } = (await ask(who, path)) as Found
    return { count, count_is_exact, cveids: results.map(({ cveid }) => cveid) }
  }
  const questions: [Caller, string][] = [
    [b, '/api/vulns/?search=visitor'],
    [b, '/api/vulns/?product=1&product_version=1.5'],
    [anybody, '/api/public/vulns/?search=visitor'],
  ]
  const look = async () => [
    ...(await Promise.all(questions.map(([who, path]) => find(who, path)))),
    await ask(b, '/api/vulns/1/affected?version=1.5&product=1'),
  ]
  const before = await look()
  const found = { count: 1, count_is_exact: true, cveids: [known.cveid] }
  expect(before).toEqual([found, found, found, expect.anything()])
  for (let at = 0; at < 380; at++) expect((await a('/api/vulns/add', post(own(at)))).status).toBe(200)
  expect(await look()).toEqual(before)
  expect((await find(a, '/api/vulns/?search=visitor')).count).toBe(381)
}, 60_000)

/** As many private rows as an organization may have of vulnerabilities, and enough of the others to fill any window. */
async function crowd(world: World, org_id: number) {
  const now = new Date()
  for (let at = 0; at < 1_000; at += 250)
    await saveRecords(openDb(world.env), {
      source: 'manual',
      records: Array.from({ length: 250 }, (_, index) => ({
        cveid: newPrivateName(org_id),
        state: 'published' as const,
        summary: `A flaw canary ${at + index} in Widget lets a visitor run code`,
        modified: now.toISOString().slice(0, 19) + 'Z',
        affected: [{ vendor: known.vendor, product: known.product, ranges: ['a:1.5'] }],
      })),
      is_backfill: false,
      now,
    })
  for (const [table, more] of [
    ['exploits', ", 'public', 'poc'"],
    ['threats', ''],
  ] as const)
    await rows(
      world.env,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
       INSERT INTO ${table}(vuln_id, org_id, source, key, link, notes, trust_level${more && ', availability, maturity'}, modified)
       SELECT 1, ?1, 'manual', 'canary:' || i, 'https://canary.example/' || i, 'widget flaw visitor canary', 'high'${more}, '2026-11-22T04:00:00Z' FROM n`,
      org_id,
    )
}
