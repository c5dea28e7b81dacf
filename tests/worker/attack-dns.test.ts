import { afterEach, beforeEach, expect, test } from 'vitest'
import { startSso } from '../../worker/auth/sso/contract'
import { checkSsoDomain, getSso, setSso } from '../../worker/orgs/sso/contract'
import { eachTest } from './support/each-test'
import { anOrg, caller } from './support/org'
import { anSsoOrg, disturb, restoreFetch, ssoSettings } from './support/sso'
import { medianRatio } from './support/timing'

const [txt, cname, spf] = [16, 5, 99]
const name = '_earshot.example.org'
type DnsRecord = { name?: unknown; type?: unknown; data?: unknown }
type Answer = { Status?: number; Answer?: DnsRecord[] }

let answer: Answer
let value: string
const org = eachTest(anSsoOrg)
beforeEach(async () => {
  await org.world.sql`UPDATE sso_domains SET proved_at = NULL, proved_by = NULL`
  value = (await org.call(getSso)).domains[0]?.txt_value ?? ''
  disturb((url) => (url.pathname === '/dns-query' ? Response.json({ Status: 0, ...answer }) : undefined))
})
afterEach(restoreFetch)

/** Asks for the proof, and says what came of it, and whether the domain leads to the provider. */
async function prove(given: Answer) {
  answer = given
  const { status } = await org.answer(checkSsoDomain, { params: { domain: 'example.org' } })
  const [domain] = (await org.call(getSso)).domains
  const started = await caller(org.world, null).answer(startSso, { body: { email: 'anna@example.org' } })
  return [status, domain?.proved_at !== null, started.status === 200]
}
const record = (data: unknown, more: DnsRecord = {}) => ({ name, type: txt, TTL: 1, data, ...more })
const quoted = (...pieces: string[]) => pieces.map((piece) => `"${piece}"`).join(' ')
const filler = (length: number, data = quoted('v=spf1 -all')) => Array.from({ length }, () => record(data))
const half = () => Math.floor(value.length / 2)

const proofs: Record<string, () => Answer> = {
  'a record': () => ({ Answer: [record(quoted(value))] }),
  'a record without quotes': () => ({ Answer: [record(value)] }),
  'a record in pieces': () => ({ Answer: [record(quoted(value.slice(0, half()), value.slice(half())))] }),
  'pieces of one sign each': () => ({ Answer: [record(quoted(...value))] }),
  'the last of many records': () => ({ Answer: [...filler(500), record(quoted(value))] }),
  'a name in capitals with its dot': () => ({ Answer: [record(quoted(value), { name: '_EARSHOT.Example.org.' })] }),
}
test.each(Object.entries(proofs))('%s of the name proves the domain', async (_, make) => {
  expect(await prove(make())).toEqual([200, true, true])
})

const alias = { name, type: cname, data: 'x.evil.example.' }
const lies: Record<string, () => Answer> = {
  'the record of an alias': () => ({ Answer: [alias, record(quoted(value), { name: 'x.evil.example' })] }),
  'a chain of aliases': () => ({
    Answer: [
      alias,
      { name: 'x.evil.example', type: cname, data: 'y.evil.example.' },
      record(quoted(value), { name: 'y.evil.example.' }),
    ],
  }),
  'aliases in a circle': () => ({ Answer: [alias, { name: 'x.evil.example', type: cname, data: name }] }),
  'the record of another name': () => ({ Answer: [record(quoted(value), { name: 'example.org' })] }),
  'the record of a name below': () => ({ Answer: [record(quoted(value), { name: `x.${name}` })] }),
  'the record of a name with another end': () => ({
    Answer: [record(quoted(value), { name: `${name}.evil.example` })],
  }),
  'another type': () => ({ Answer: [record(quoted(value), { type: spf }), record(value, { type: cname })] }),
  'a name that does not exist': () => ({ Status: 3, Answer: [record(quoted(value))] }),
  'one half in each of two records': () => ({
    Answer: [record(quoted(value.slice(0, half()))), record(quoted(value.slice(half())))],
  }),
  'more around it': () => ({
    Answer: [record(quoted(`x${value}`)), record(quoted(value, 'x')), record(quoted(` ${value}`))],
  }),
  'another case': () => ({ Answer: [record(quoted(value.toUpperCase()))] }),
  'escaped signs': () => ({ Answer: [record(quoted(value.replace('-', String.raw`\\-`)))] }),
  'a quote without an end': () => ({ Answer: [record(`"${value}`)] }),
  'a quote that begins late': () => ({ Answer: [record(`x "${value}"`)] }),
  'records without a name': () => ({ Answer: [record(quoted(value), { name: undefined })] }),
  nothing: () => ({ Answer: [] }),
}
test.each(Object.entries(lies))('%s proves nothing', async (_, make) => {
  expect(await prove(make())).toEqual([409, false, false])
})

const rubbish: Record<string, () => Answer> = {
  'a text without end': () => ({ Answer: [record(quoted('x'.repeat(200_000), value))] }),
  'records without end': () => ({ Answer: [...filler(5_000), record(quoted(value))] }),
  'data that is no text': () => ({ Answer: [record(7), record(null), record([value])] }),
  'a server that fails': () => ({ Status: 2, Answer: [record(quoted(value))] }),
  'a server that refuses': () => ({ Status: 5, Answer: [record(quoted(value))] }),
}
test.each(Object.entries(rubbish))('%s is no answer, which proves nothing and fails nowhere', async (_, make) => {
  expect(await prove(make())).toEqual([502, false, false])
})

test('a text that is costly to take apart costs about what a plain one does', async () => {
  const [costly, plain] = [String.raw`\"`, 'xx'].map((two) => ({ Answer: [record(`"${two.repeat(24_000)}`)] }))
  const provesNothing = async (given: Answer = {}) => expect(await prove(given)).toEqual([409, false, false])
  const ratio = await medianRatio(
    () => provesNothing(costly),
    () => provesNothing(plain),
    () => Promise.resolve(),
  )
  expect(ratio).toBeLessThan(3)
})

test('of two organizations that claim one domain, and prove it at once, one has it', async () => {
  const other = await anOrg({ world: org.world, is_org_admin: true })
  await other.call(setSso, { body: ssoSettings })
  const values = await Promise.all(
    [org, other].map(async (one) => (await one.call(getSso)).domains[0]?.txt_value ?? ''),
  )
  answer = { Answer: values.map((text) => record(quoted(text))) }
  const params = { domain: 'example.org' }
  const answers = await Promise.all([org, other].map((one) => one.answer(checkSsoDomain, { params })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
})
