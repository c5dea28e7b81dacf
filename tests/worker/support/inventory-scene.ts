import { expect } from 'vitest'
import { listFindings } from '../../../worker/inventories/finding-contract'
import type { PutAnswer } from '../../../worker/inventories/contract'
import { openDb } from '../../../worker/db/open'
import { plusSeconds } from '../../../worker/db/time'
import { nightNumber, recheckAll } from '../../../worker/exposure/recheck'
import { saveRecords } from '../../../worker/merge/save-records'
import type { VulnRecord, VersionRange } from '../../../worker/domain/words/record'
import type { anOrg } from './org'
import type { World } from './world'

export const now = new Date('2026-11-20T12:00:00Z')
let made = 0
/** A number that no other test has. */
export const nextNumber = () => ++made

/** A package of our own with a vulnerability below a version, so that no test meets another's. */
export async function aVulnerablePackage(
  world: World,
  { type = 'maven', lt = '2.15.0', ranges }: { type?: string; lt?: string; ranges?: VersionRange[] } = {},
) {
  const number = ++made
  const name = type === 'deb' ? `debian/own${number}` : type === 'maven' ? `org.own:core${number}` : `own${number}`
  const cveid = `CVE-2031-${10_000 + number}`
  await merge(world, {
    cveid,
    packages: [{ type, name, ranges: ranges ?? [{ order: type === 'npm' ? 'semver' : 'maven', lt }] }],
  })
  return { type, name, cveid, number, purl: (version: string) => `pkg:${type}/${name.replace(':', '/')}@${version}` }
}

export const merge = (
  world: World,
  record: Partial<VulnRecord> & { cveid: string },
  source = 'ghsa',
  is_backfill = false,
) =>
  saveRecords(openDb(world.env), {
    source,
    records: [
      {
        state: 'published',
        summary: `A flaw of ${record.cveid}`,
        ...record,
        ...(source === 'ghsa' && { ref: `GHSA-${record.cveid}` }),
      },
    ],
    is_backfill,
    now,
  })

export const toBom = (purls: string[]) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: purls.map((purl, at) => ({
    type: 'library',
    name: `part${at}`,
    ...(purl.startsWith('cpe:') ? { cpe: purl } : { purl }),
  })),
})

type Org = Awaited<ReturnType<typeof anOrg>>

export const put = (org: Org, name: string, body: BodyInit) =>
  org.world.request(`/api/inventories/${name}`, {
    method: 'PUT',
    headers: { authorization: `JWT ${org.access}` },
    body,
  })

export async function send(org: Org, name: string, purls: string[]) {
  const response = await put(org, name, JSON.stringify(toBom(purls)))
  const answer = await response.json()
  expect([response.status, answer]).toEqual([200, expect.anything()])
  return answer as PutAnswer
}

/** A batch is one round trip, and so is a statement outside of any. */
export function countTrips(real: D1Database) {
  let trips = 0
  const plain = new Map<unknown, D1PreparedStatement>()
  const counted = (inner: D1PreparedStatement) => {
    const ask = () => (trips++, inner.all())
    const one = { bind: (...values: unknown[]) => counted(inner.bind(...values)), all: ask, run: ask }
    plain.set(one, inner)
    return one
  }
  const DB = {
    prepare: (sql: string) => counted(real.prepare(sql)),
    batch: (statements: unknown[]) => (trips++, real.batch(statements.flatMap((one) => plain.get(one) ?? []))),
  }
  return { DB: DB as unknown as D1Database, trips: () => trips }
}

export type Package = Awaited<ReturnType<typeof aVulnerablePackage>>

/** As if thousands of vulnerabilities named it: more than a request compares. */
export const makeLarge = (world: World, { type, name }: Package, count = 50_000) =>
  world.sql`UPDATE packages SET vulns_count = ${count} WHERE type = ${type} AND name = ${name}`

export const aRangeBelow = ({ type, name }: Package, lt: string) => [
  { type, name, ranges: [{ order: 'maven' as const, lt }] },
]

export const listFound = async (org: Org, name = 'shop') =>
  (await org.call(listFindings, { params: { name }, query: { status: 'all' } })).results
    .map(({ cveid, component, version, status, fixed_in }) => [cveid, component, version, status, fixed_in].join(' '))
    .toSorted()

/** Messages to the operator from the nights of a month, or from those that judge these items and inventories. */
export async function tellNights({ env }: World, at: Date, judging?: number[]) {
  const told: string[] = []
  for (let night = 0; night < 30; night++) {
    const date = plusSeconds(at, night * 86_400)
    if (judging && !judging.some((number) => number % 30 === nightNumber(date))) continue
    await recheckAll(openDb(env), date).catch((error: Error) => told.push(error.message))
  }
  return told.join('\n')
}
