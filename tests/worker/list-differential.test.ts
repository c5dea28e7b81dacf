import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newGroup, type Query } from '../../worker/domain/query/ast'
import { getDefinition, fieldNames, operatorsByKind, type Field } from '../../worker/domain/query/fields'
import { parseQuery } from '../../worker/domain/query/parse'
import { printQuery } from '../../worker/domain/query/print'
import { listVulns, vulnCount } from '../../worker/vulns/contract'
import { fillDifferential, readScanned } from './support/differential-base'
import { anOrg, rows } from './support/org'
import { hasSearched, holds } from './support/plain-scan'
import { aWorld } from './support/world'

const texts: Partial<Record<Field, string[]>> = {
  cveid: ['CVE-2017-10012', 'CVE-2019-1', 'cve-2020'],
  summary: ['Remote code', 'rare', 'flaw of kind 7', 'A rare hole in a kernel', 'nothing'],
  vendor: ['vendor_5', 'vendor_1', 'endor_3', 'nobody'],
  product: ['product_2', 'vendor_3:product_2', 'roduct_11', 'everywhere', 'nothing'],
  package: ['npm:package-9', 'package-1', 'nothing'],
  cpe: ['cpe:2.3:a:vendor_3', 'cpe:2.3:a:vendor_3:product_2', 'cpe:2.3:a:*:everywhere'],
  advisory: ['MS17-010', 'ms17-010', 'RHSA-2024:1234'],
  group: ['dmz', 'build', 'elsewhere'],
  assignee: ['me', 'nobody', 'a stranger'],
  cwe: ['CWE-7', 'CWE-29', 'CWE-999'],
  cvss_vector: ['AV:L', 'AV:N/AC:L/Au:N/C:P/I:P/A:P', 'au:s', 'zzz'],
  cvss3_vector: ['AV:P', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'pr:h'],
}

const dates = ['2016-03-01', '2020-09-13', '2021-01-01', '2022-06-30', '3y']
const values = (field: Field): fc.Arbitrary<string | number | boolean> => {
  const { kind, choices = [], ends: [, most] = [0, 100] } = getDefinition(field)
  if (kind === 'flag') return fc.boolean()
  if (kind === 'choice') return fc.constantFrom(...choices)
  if (field === 'due') return fc.constantFrom('today', '7d', '3w', '2mo', '2021-01-01')
  if (kind === 'date') return fc.constantFrom(...dates)
  if (kind === 'key') return fc.integer({ min: 1, max: 60 })
  if (field === 'epss' || field === 'epss_percentile' || field === 'composite')
    return fc.constantFrom(0, 0.001, 0.5, 0.9, 0.995)
  if (kind === 'number')
    return fc.constantFrom(...[0, 1, 2.5, 7, 9, 9.8, 50, 90, 99].filter((number) => number <= most))
  return fc.constantFrom(...(texts[field] ?? ['nothing']))
}

const comparison: fc.Arbitrary<Query> = fc
  .constantFrom(...fieldNames)
  .chain((field) =>
    fc
      .record({ op: fc.constantFrom(...operatorsByKind[getDefinition(field).kind]), value: values(field) })
      .map(({ op, value }) => ({ kind: 'compare' as const, field, op, value })),
  )
const text = fc
  .constantFrom('remote code', 'flaw', 'rare', 'kernel', 'apache', '7 apache', 'nothing')
  .map((words): Query => ({ kind: 'text', text: words }))
const leaf = fc.oneof({ weight: 5, arbitrary: comparison }, { weight: 1, arbitrary: text })
const term = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 1, arbitrary: leaf.map((inner): Query => ({ kind: 'not', term: inner })) },
  {
    weight: 1,
    arbitrary: fc.array(leaf, { minLength: 2, maxLength: 3 }).map((terms) => newGroup('or', terms) as Query),
  },
)
const generatedQuery = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => newGroup('and', terms) as Query)

/** The first pages and a late one stand for all where many fit. */
const maxPages = 4
const limit = 100

const queryIn = (link: string) => Object.fromEntries(new URL(link, 'https://earshot.test').searchParams)

type Call = Awaited<ReturnType<typeof anOrg>>['call']
type Given = Record<string, string | number | boolean>

/** The pages of a list as `next` leads, and a late one by its number, beside all that fit. */
async function comparePages(call: Call, query: Given, expected: number[]) {
  const found: number[] = []
  let page = await call(listVulns, { query: { ...query, limit } })
  if (page.count_is_exact) expect([query, page.count]).toEqual([query, expected.length])
  else expect([query, page.count <= expected.length]).toEqual([query, true])
  for (let pages = 1; ; pages++) {
    found.push(...page.results.map(({ id }) => id))
    if (page.next === null || pages === maxPages) break
    page = await call(listVulns, { query: queryIn(page.next) as never })
  }
  const isEnd = page.next === null
  expect([query, found]).toEqual([query, isEnd ? expected : expected.slice(0, found.length)])
  if (isEnd) return
  const last = Math.ceil(expected.length / limit)
  const tail: number[] = []
  let isBegun = true
  // A reading that stopped before the end of a late page says so, and `next` leads to the rest; before its beginning, to some of earlier pages, too.
  for (let next: Given | null = { ...query, limit, page: last }; next;) {
    const late: { results: { id: number }[]; next: string | null } = await call(listVulns, { query: next })
    if (next['page'] === last && late.next !== null) isBegun = late.results.length > 0
    tail.push(...late.results.map(({ id }) => id))
    next = late.next === null ? null : queryIn(late.next)
  }
  const least = expected.slice((last - 1) * limit)
  expect([query, last, tail]).toEqual([
    query,
    last,
    isBegun ? least : expected.slice(-Math.max(tail.length, least.length)),
  ])
}

async function fillScene() {
  const world = aWorld()
  const { call, org_id } = await anOrg({ world })
  await fillDifferential(world, org_id)
  const readVisible = async () =>
    (await readScanned(world, org_id))
      .filter((vuln) => vuln.org_id === null || vuln.org_id === org_id)
      .toSorted((a, b) => Number(b['updated_at']) - Number(a['updated_at']) || b.id - a.id)
  return { world, call, readVisible }
}

test('150 generated queries over all fields find what a plain scan finds, page by page to the end', async () => {
  const { call, readVisible } = await fillScene()
  const visible = await readVisible()
  const now = new Date()

  for (const generated of fc.sample(generatedQuery, { numRuns: 150, seed: 20_261_122 })) {
    const q = printQuery(generated)
    const parsed = parseQuery(q).query
    if (!parsed) throw new Error(`unreadable: ${q}`)
    const namesOne = (parsed.kind === 'and' ? parsed.terms : [parsed]).some(
      (one) => one.kind === 'compare' && one.op === 'eq' && (one.field === 'id' || one.field === 'cveid'),
    )
    const expected = visible
      .filter((vuln) => (namesOne || vuln.state !== 'rejected') && holds(parsed, vuln, now))
      .map(({ id }) => id)
    await comparePages(call, { q }, expected)
  }
}, 300_000)

test('common words, parts of texts and parts of names find what a plain scan finds, however they are written', async () => {
  const { world, call, readVisible } = await fillScene()
  const spelled = [
    'R\u00e9mote c\u00f4de of the kernel',
    '\u201cremote\u201d code\u2014the flaw',
    'remote\tcode\nof (the) kernel/path',
    'other remotely-coded flaw: the_kernel',
    'REMOTE CODE, of  the kernel',
    '\u9060\u7a0bremote code the',
    'a remote  code',
    'unremote code of bothe',
    'the Microsoft Office hole: Apps (365), cross-site scripting',
  ]
  for (const [at, summary] of spelled.entries())
    await rows(
      world.env,
      `UPDATE vulns SET summary = ?1 || ' ' || id WHERE id % 40 = ${at} AND org_id IS NULL`,
      summary,
    )
  const visible = (await readVisible()).filter(({ state }) => state !== 'rejected')
  const now = new Date()
  const searches = [
    'remote',
    'remote code',
    'the',
    'kernel',
    'code ker',
    'flaw kind',
    'remo',
    'c\u00f4de',
    'apache widget',
    'rce',
    'kind rce',
    'XSS O365',
    'm365 hole xs',
  ]
  const parts = [
    'advisory:MS17-010',
    'summary~remote',
    'summary~"remote code"',
    'summary~~"Remote code"',
    'summary~the',
    'vendor~endor_',
    'product~duct',
    'package~age-1',
    'vendor~or_3',
    'product:everywhere',
    'cpe:"cpe:2.3:a:*:everywhere"',
  ]
  const conditions = ['', 'kev', 'NOT exploitable', '(kev OR vendor:vendor_5)']
  const asked: [search: string, q: string][] = [
    ...searches.flatMap((search) => conditions.map((q): [string, string] => [search, q])),
    ...parts.flatMap((part) => conditions.map((q): [string, string] => ['', `${part} ${q}`.trim()])),
    ...parts.map((part): [string, string] => ['remote', `NOT ${part}`]),
  ]
  for (const [search, q] of asked) {
    const parsed = parseQuery(q).query
    const fitting = visible.filter(
      (vuln) => (!search || hasSearched(vuln, search)) && (!parsed || holds(parsed, vuln, now)),
    )
    const query = { ...(search && { search }), ...(q && { q }) }
    await comparePages(
      call,
      query,
      fitting.map(({ id }) => id),
    )
    const { count, count_is_exact } = await call(vulnCount, { query })
    if (count_is_exact) expect([query, count]).toEqual([query, fitting.length])
    else expect([query, count <= fitting.length]).toEqual([query, true])
  }

  for (const [search, q] of [
    ['kernel'],
    ['remo'],
    ['rce kind'],
    ['code ker'],
    ['flaw', 'score>=50'],
    ['remote', 'kev'],
  ]) {
    const parsed = parseQuery(q ?? '').query
    const query = { search: search ?? '', ...(q && { q }), sorted_by: 'relevance' as const, limit }
    const found: number[] = []
    let page = await call(listVulns, { query })
    for (;;) {
      found.push(...page.results.map(({ id }) => id))
      if (page.next === null) break
      page = await call(listVulns, { query: queryIn(page.next) as never })
    }
    const fitting = visible.filter((vuln) => hasSearched(vuln, search ?? '') && (!parsed || holds(parsed, vuln, now)))
    const sorted = (ids: number[]) => ids.toSorted((a, b) => a - b)
    expect([search, q, sorted(found)]).toEqual([search, q, sorted(fitting.map(({ id }) => id))])
  }
}, 300_000)
