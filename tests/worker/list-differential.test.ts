import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGroup } from '../../worker/domain/query/ast'
import type { Query } from '../../worker/domain/query/ast'
import { getDefinition, fieldNames, operatorsByKind } from '../../worker/domain/query/fields'
import type { Field } from '../../worker/domain/query/fields'
import { parseQuery } from '../../worker/domain/query/parse'
import { printQuery } from '../../worker/domain/query/print'
import { listVulns } from '../../worker/vulns/contract'
import { catchUp } from './support/catch-up'
import { anOrg, rows } from './support/org'
import { holds } from './support/plain-scan'
import type { Scanned } from './support/plain-scan'
import { aWorld } from './support/world'
import type { World } from './support/world'

const total = 9_000

/** Values spread so that some are rare, some common, and old and new ones differ. */
async function fill(world: World, org_id: number) {
  const run = (sql: string, ...values: unknown[]) => rows(world.env, sql, ...values)
  const numbers = (to: number) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${to})`
  await run(`${numbers(40)} insert into vendors(id, name, updated_at) select i, 'vendor_' || i, '' from n`)
  await run(`${numbers(200)} insert into products(id, vendor_id, vendor, name, updated_at)
    select i, 1 + i % 40, 'vendor_' || (1 + i % 40), 'product_' || i, '' from n`)
  await run(
    `${numbers(50)} insert into packages(id, type, name, updated_at) select i, 'npm', 'package-' || i, '' from n`,
  )
  await run(
    `${numbers(total)} insert into vulns(id, org_id, cveid, state, summary, keywords, published, cvss, cvss_vector, cvss3, cvss3_vector, cvss4,
      access, impact, cwe_id, score, epss, kev_added_at, is_exploitable, is_confirmed, is_in_the_news, is_in_the_wild, exploit_count, created_at, updated_at)
    select i, case i % 150 when 3 then ?1 when 4 then ?1 + 1 end, 'CVE-' || (2015 + i % 10) || '-' || (10000 + i), case when i % 97 = 5 then 'rejected' else 'published' end,
      case when i % 300 = 0 then 'A rare hole in a kernel' when i % 3 = 0 then 'Remote code execution of kind ' || (i % 40) else 'A flaw of kind ' || (i % 40) end,
      case when i % 11 = 0 then 'apache widget' else '' end,
      1420070400 + (i * 37 % ${total}) * 38000, nullif(i % 101, 7) / 10.0, case when i % 5 = 0 then 'AV:L/AC:H/Au:S/C:P/I:C/A:N' else 'AV:N/AC:L/Au:N/C:P/I:P/A:P' end,
      case when i > ${total - 2_000} then null else (i % 101) / 10.0 end,
      case when i % 400 = 0 then 'CVSS:3.1/AV:P/AC:H/PR:H/UI:N/S:C/C:H/I:H/A:L' when i % 2 = 0 then 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' end,
      case when i % 7 = 0 then (i % 97) / 10.0 end, substr('NALNNNNN', 1 + i % 8, 1) || substr('LMHLL', 1 + i % 5, 1) || 'N', substr('NPC', 1 + i % 3, 1) || 'PP',
      'CWE-' || (i % 30), nullif(i % 101, 3), (i % 1000) / 1000.0, case when i % 120 = 0 then '2024-01-01' end, i % 9 = 0, i % 200 = 0, i % 350 = 0, i % 2 = 0,
      case when i % 9 = 0 then i % 5 else 0 end, 1420070400, 1600000000 + (i * 7919 % ${total}) * 300 from n`,
    org_id,
  )
  await run(`insert into vuln_products(vuln_id, product_id, vendor_id, since_seq, touched, org_id)
    select v.id, p.id, p.vendor_id, 0, v.updated_at, v.org_id from vulns v join products p on p.id in (1 + v.id * 31 % 200, 1 + v.id % 3)`)
  await run(`insert into vuln_packages(vuln_id, package_id, since_seq, touched, org_id)
    select id, 1 + id % 50, 0, updated_at, org_id from vulns where id % 4 = 0`)
  await run(`insert into monitored_vendors(org_id, vendor_id, created_at) values (?1, 5, '')`, org_id)
  await run(`insert into monitored_packages(org_id, package_id, created_at) values (?1, 9, '')`, org_id)
  await run(
    `insert into vuln_statuses(org_id, vuln_id, status, updated_at) select ?1, id, 'fixed', '' from vulns where id % 700 = 1`,
    org_id,
  )
  await run(
    `update counters set value = (select count(*) from vulns where state <> 'rejected' and org_id is null) where name = 'vulns'`,
  )
  for (const [table, links, item] of [
    ['vendors', 'vuln_products', 'vendor_id'],
    ['products', 'vuln_products', 'product_id'],
    ['packages', 'vuln_packages', 'package_id'],
  ])
    await run(`update ${table} set vulns_count = (select count(distinct l.vuln_id) from ${links} l join vulns v on v.id = l.vuln_id
      where l.${item} = ${table}.id and v.state <> 'rejected' and v.org_id is null)`)
  await run('analyze')
  await catchUp(world)
}

async function readAll(world: World, org_id: number): Promise<Scanned[]> {
  const vulns = await rows<Scanned>(world.env, 'select * from vulns')
  const products = await rows<{ vuln_id: number; id: number; name: string; vendor: string; vendor_id: number }>(
    world.env,
    'select l.vuln_id, p.id, p.name, p.vendor, p.vendor_id from vuln_products l join products p on p.id = l.product_id',
  )
  const packages = await rows<{ vuln_id: number; id: number; name: string; type: string }>(
    world.env,
    'select l.vuln_id, p.id, p.name, p.type from vuln_packages l join packages p on p.id = l.package_id',
  )
  const statuses = await rows<{ vuln_id: number; status: string }>(
    world.env,
    'select vuln_id, status from vuln_statuses where org_id = ?1',
    org_id,
  )
  const [productsBy, packagesBy] = [Map.groupBy(products, byVuln), Map.groupBy(packages, byVuln)]
  const statusBy = new Map(statuses.map(({ vuln_id, status }) => [vuln_id, status]))
  return vulns.map((vuln) => {
    const [own, ownPackages] = [productsBy.get(vuln.id) ?? [], packagesBy.get(vuln.id) ?? []]
    return {
      ...vuln,
      products: own,
      vendors: own.map(({ vendor_id, vendor }) => ({ id: vendor_id, name: vendor })),
      packages: ownPackages,
      monitored: own.some(({ vendor_id }) => vendor_id === 5) || ownPackages.some(({ id }) => id === 9),
      status: statusBy.get(vuln.id) ?? 'undefined',
    }
  })
}

const byVuln = ({ vuln_id }: { vuln_id: number }) => vuln_id

const texts: Partial<Record<Field, string[]>> = {
  cveid: ['CVE-2017-10012', 'CVE-2019-1', 'cve-2020'],
  summary: ['Remote code', 'rare', 'flaw of kind 7', 'A rare hole in a kernel', 'nothing'],
  vendor: ['vendor_5', 'vendor_1', 'endor_3', 'nobody'],
  product: ['product_2', 'vendor_3:product_2', 'roduct_11', 'nothing'],
  package: ['npm:package-9', 'package-1', 'nothing'],
  cpe: ['cpe:2.3:a:vendor_3', 'cpe:2.3:a:vendor_3:product_2'],
  cwe: ['CWE-7', 'CWE-29', 'CWE-999'],
  cvss_vector: ['AV:L', 'AV:N/AC:L/Au:N/C:P/I:P/A:P', 'au:s', 'zzz'],
  cvss3_vector: ['AV:P', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'pr:h'],
}

const dates = ['2016-03-01', '2020-09-13', '2021-01-01', '2022-06-30', '3y']
const values = (field: Field): fc.Arbitrary<string | number | boolean> => {
  const { kind, choices = [] } = getDefinition(field)
  if (kind === 'flag') return fc.boolean()
  if (kind === 'choice') return fc.constantFrom(...choices)
  if (kind === 'date') return fc.constantFrom(...dates)
  if (kind === 'key') return fc.integer({ min: 1, max: 60 })
  if (field === 'epss') return fc.constantFrom(0, 0.001, 0.5, 0.9, 0.995)
  if (kind === 'number') return fc.constantFrom(0, 1, 2.5, 7, 9, 9.8, 50, 90, 99)
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
  .constantFrom('remote code', 'flaw', 'rare', 'kernel', 'apache', 'nothing')
  .map((words): Query => ({ kind: 'text', text: words }))
const leaf = fc.oneof({ weight: 5, arbitrary: comparison }, { weight: 1, arbitrary: text })
const term = fc.oneof(
  { weight: 6, arbitrary: leaf },
  { weight: 1, arbitrary: leaf.map((inner): Query => ({ kind: 'not', term: inner })) },
  {
    weight: 1,
    arbitrary: fc.array(leaf, { minLength: 2, maxLength: 3 }).map((terms) => createGroup('or', terms) as Query),
  },
)
const query = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => createGroup('and', terms) as Query)

/** The first pages and a late one stand for all where many fit. */
const maxPages = 4
const limit = 100

const queryIn = (link: string) => Object.fromEntries(new URL(link, 'https://earshot.test').searchParams)

test('300 generated queries over all fields find what a plain scan finds, page by page to the end', async () => {
  const world = aWorld()
  const { call, org_id } = await anOrg({ world })
  await fill(world, org_id)
  const all = await readAll(world, org_id)
  const visible = all
    .filter((vuln) => vuln.org_id === null || vuln.org_id === org_id)
    .toSorted((a, b) => Number(b['updated_at']) - Number(a['updated_at']) || b.id - a.id)
  const now = new Date()

  for (const generated of fc.sample(query, { numRuns: 300, seed: 20_261_122 })) {
    const q = printQuery(generated)
    const parsed = parseQuery(q).query
    if (!parsed) throw new Error(`unreadable: ${q}`)
    const namesOne = (parsed.kind === 'and' ? parsed.terms : [parsed]).some(
      (one) => one.kind === 'compare' && one.op === 'eq' && (one.field === 'id' || one.field === 'cveid'),
    )
    const expected = visible
      .filter((vuln) => (namesOne || vuln.state !== 'rejected') && holds(parsed, vuln, now))
      .map(({ id }) => id)

    const found: number[] = []
    let page = await call(listVulns, { query: { q, limit } })
    if (page.count_is_exact) expect([q, page.count]).toEqual([q, expected.length])
    else expect([q, page.count <= expected.length]).toEqual([q, true])
    for (let pages = 1; ; pages++) {
      found.push(...page.results.map(({ id }) => id))
      if (page.next === null || pages === maxPages) break
      page = await call(listVulns, { query: queryIn(page.next) as never })
    }
    const isEnd = page.next === null
    expect([q, found]).toEqual([q, isEnd ? expected : expected.slice(0, found.length)])
    if (isEnd) continue
    const last = Math.ceil(expected.length / limit)
    const late = await call(listVulns, { query: { q, limit, page: last } })
    expect([q, last, late.results.map(({ id }) => id)]).toEqual([q, last, expected.slice((last - 1) * limit)])
  }
}, 300_000)
