import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boxExample, queryExamples } from '../../worker/domain/query/examples'
import { getDefinition, offeredFields } from '../../worker/domain/query/fields'
import { parseValue } from '../../worker/domain/query/values'
import { listVulns, vulnCount, vulnSorts } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aVulnListScene, apache, thing, bare, rejected, nginx, allListed } from './support/vuln-list-scene'
import { listIds, inOrder, compare, type CasesPage } from './support/vuln-cases'

const scene = eachTest(aVulnListScene)

const filtered: [Record<string, unknown>, number[]][] = [
  [{ cveid: 'cve-2024-10001' }, [apache]],
  [{ cveid: 'CVE-2024-10004' }, [rejected]],
  [{ cveid__exact: 'CVE-2024-1000' }, []],
  [{ cveid__contains: '2024-1000' }, allListed],
  [{ cveid__contains: 'cve-2024' }, []],
  [{ cveid__icontains: 'cve-2024-10003' }, [bare]],
  [{ summary: 'Not analysed yet.' }, [bare]],
  [{ summary__exact: 'Not analysed' }, []],
  [{ summary__contains: 'heap over' }, [nginx]],
  [{ summary__contains: 'Heap' }, []],
  [{ summary__icontains: 'HEAP' }, [nginx]],
  [{ summary__icontains: '50% off C++ "parser"' }, [thing]],
  [{ summary__icontains: '51% off' }, []],
  [{ vendor_name: 'apache' }, [apache]],
  [{ vendor_name: 'Apache' }, [apache]],
  [{ vendor_name__icontains: 'pach' }, [apache]],
  [{ vendor_name__contains: 'ot' }, [thing]],
  [{ product_name: 'http server' }, [apache]],
  [{ product_name: 'apache:http_server' }, [apache]],
  [{ product_name: 'f5:http_server' }, []],
  [{ product_name__icontains: 'thing' }, [thing]],
  [{ package_name: 'lodash' }, []],
  [{ cvss_vector__contains: 'Au:S' }, [thing]],
  [{ cvss_vector: 'AV:N/AC:M/Au:N/C:C/I:C/A:C' }, [apache]],
  [{ cvss3_vector__icontains: 'av:a' }, [nginx]],
  [{ cvss3_vector__contains: 'av:a' }, []],
  [{ score__gte: 1 }, [apache, thing, nginx]],
  [{ score__lt: 0 }, []],
  [{ cvss: 9.3 }, [apache]],
  [{ cvss__exact: 4.3 }, [thing]],
  [{ cvss__gt: 4.3 }, [apache]],
  [{ cvss3__gte: 7.5 }, [apache, nginx]],
  [{ cvss3__lt: 7.5 }, [thing]],
  [{ cvss3__lte: 7.5, cvss3__gt: 5.3 }, [nginx]],
  [{ cvss4__gt: 0 }, []],
  [{ epss__gte: 0.5 }, [apache]],
  [{ epss: 0.00042 }, [nginx]],
  [{ published: '2024-02-01' }, [thing]],
  [{ published__date: '2024-02-01' }, [thing]],
  [{ published__date__gt: '2024-02-01' }, [bare, nginx]],
  [{ published__date__gte: '2024-02-01' }, [thing, bare, nginx]],
  [{ published__date__lt: '2024-02-01' }, [apache]],
  [{ published__date__lte: '2024-02-01' }, [apache, thing]],
  [{ published__gt: '2024-02-01T00:00:00Z', published__lt: '2024-05-01' }, [bare]],
  [{ updated_at__gte: '2020-01-01', updated_at__lte: '2020-12-31' }, []],
  [{ is_exploitable: 'true' }, [thing, nginx]],
  [{ is_exploitable: 'False' }, [apache, bare]],
  [{ is_confirmed: true, is_in_the_news: true }, []],
  [{ is_in_the_wild: true }, [thing]],
  [{ kev: true }, [thing]],
  [{ kev: false }, [apache, bare, nginx]],
  [{ exploit_count__gte: 1 }, [nginx]],
  [{ exploit_count: 0 }, [apache, thing, bare]],
  [{ cwe_id: 'CWE-787' }, [thing]],
  [{ cwe_id: '79' }, [apache, nginx]],
  [{ access_vector: 'NETWORK' }, [apache]],
  [{ access_vector: 'LOCAL' }, [thing]],
  [{ access_vector: 'adjacent_network' }, [nginx]],
  [{ access_complexity: 'MEDIUM' }, [apache]],
  [{ access_authentication: 'MULTIPLE' }, [nginx]],
  [{ access_authentication: 'SINGLE' }, [thing]],
  [{ impact_confidentiality: 'PARTIAL' }, [thing]],
  [{ impact_integrity: 'NONE' }, [thing, nginx]],
  [{ impact_availability: 'COMPLETE' }, [apache, nginx]],
  [{ status: 'undefined' }, allListed],
  [{ status: 'fixed' }, []],
  [{ cpe: 'cpe:2.3:a:apache:http_server' }, [apache]],
  [{ cpe: 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*' }, [apache]],
  [{ cpe: 'cpe:2.3:a:apache:http_server:2.4.50' }, []],
  [{ cpe: 'cpe:/a:f5' }, [nginx]],
  [{ product_name: 'http_server', vendor_name: 'apache', product_version: '2.4.1' }, [apache]],
  [{ product_name: 'http_server', product_version: '2.4.51' }, []],
  [{ search: 'cpe:2.3:a:apache:http_server:2.4.49:*:*:*:*:*:*:*' }, [apache]],
  [{ search: 'pkg:npm/lodash@4' }, []],
  [{ search: 'GHSA-aaaa-bbbb-cccc' }, [thing]],
  [{ search: 'ghsa-aaaa-bbbb-cccc' }, [thing]],
  [{ search: 'ghsa-aaaa' }, []],
  [{ search: 'remote', kev: false }, [apache]],
  [{ q: 'cvss3>=9 AND (vendor:apache OR kev) AND published<=9y AND NOT status:fixed "remote code"' }, [apache]],
  [{ q: '"remote code"' }, [apache]],
  [{ q: 'remote code' }, [apache, thing]],
  [{ q: 'remote', search: 'thing' }, [thing]],
  [{ q: 'kev OR vendor:f5' }, [thing, nginx]],
  [{ q: 'ghsa-AAAA-bbbb-cccc' }, [thing]],
  [{ q: 'GHSA-aaaa-bbbb-cccc vendor:f5' }, []],
  [{ q: 'GHSA-aaaa-bbbb-cccc OR remote-code' }, [apache, thing]],
  [{ q: 'NOT (GHSA-aaaa-bbbb-cccc OR GCVE-0-2024-10005)' }, [apache, bare]],
  [{ q: 'PH-1 OR PH-99999' }, [thing]],
  [{ q: 'cve-2024-10004' }, [rejected]],
  [{ q: 'NOT cvss3>=7' }, [thing, bare]],
  [{ q: 'NOT NOT cvss3>=7' }, [apache, nginx]],
  [{ q: 'NOT "remote code" NOT kev' }, [bare, nginx]],
  [{ q: 'NOT (kev OR cwe:79)' }, [bare]],
  [{ q: 'published:2024-03-01 OR published<2024-01-02' }, [apache, bare]],
  [{ q: 'updated>=today' }, []],
  [{ q: 'kev', is_exploitable: true, vendor_name: 'other' }, [thing]],
  [{ q: 'monitored' }, []],
]

test('each filter of the API and each kind of query narrows the list and its count', async () => {
  const { world } = scene
  await world.env.DB.prepare(
    "INSERT INTO vuln_aliases(alias, vuln_id) SELECT 'GHSA-aaaa-bbbb-cccc', id FROM vulns WHERE cveid = 'CVE-2024-10002'",
  ).run()
  await world.env.DB.prepare("UPDATE vulns SET exploit_count = 1 WHERE cveid = 'CVE-2024-10005'").run()
  await world.env.DB.prepare("UPDATE vulns SET exploit_count = 0 WHERE cveid = 'CVE-2024-10002'").run()
  const { answer, call } = await anOrg({ world })
  await compare(filtered, async (query) => {
    const page = (await (await answer(listVulns, { query })).json()) as CasesPage
    expect([page.count, page.count_is_exact]).toEqual([page.results.length, true])
    expect(await call(vulnCount, { query })).toEqual({ count: page.count, count_is_exact: true, next: null })
    return inOrder(listIds(page))
  })
}, 60_000)

const wrong: [Record<string, unknown>, string][] = [
  [{ q: 'cvss3>=' }, 'q: expected a number after cvss3>= at 8'],
  [{ q: '(kev' }, 'q: the parenthesis is not closed that opens at 1'],
  [{ q: 'x'.repeat(5_000) }, 'q: A query has at most 2000 characters: it goes on at 2001'],
  [{ cwe_id: 'xss' }, 'cwe_id: Expected a CWE such as CWE-79'],
  [{ status: 'done' }, 'status: Expected one of undefined, fixed, not_interesting, in_progress'],
  [{ access_vector: 'near' }, 'access_vector: Expected one of LOCAL, ADJACENT_NETWORK, NETWORK'],
  [{ cpe: 'openssl' }, 'cpe: Expected a CPE such as "cpe:2.3:a:vendor:product:version"'],
  [{ q: 'kev '.repeat(20), kev: true }, 'q: At most 20 conditions'],
]

test('a wrong filter or query is refused with its name and, in a query, its place', async () => {
  const { world } = scene
  const { answer } = await anOrg({ world })
  await compare(wrong, async (query) => {
    const response = await answer(listVulns, { query })
    expect(response.status).toBe(400)
    return ((await response.json()) as { message: string }).message
  })
})

test('a page gives only the fields asked for', async () => {
  const { world } = scene
  const { answer } = await anOrg({ world })
  const page = (await (
    await answer(listVulns, { query: { fields: 'id, cveid,nothing,org_id', cveid: 'CVE-2024-10001' } })
  ).json()) as CasesPage
  expect(page).toMatchObject({ count: 1, next: null })
  expect(page.results).toEqual([{ id: expect.any(Number), cveid: 'CVE-2024-10001' }])
})

test('twenty conditions of the widest kinds stay within what the database takes, in every order', async () => {
  const { world } = scene
  const { answer } = await anOrg({ world })
  const wide = [
    'product:"a b:c d"',
    'package:npm:x',
    'published:2024-01-01',
    'summary="a b"',
    'status:fixed',
    'vendor~ab',
    'cpe:cpe:/a:b:c',
    'cveid~2024-1',
    'group:dmz',
    'severity:critical',
    'vendor~a',
  ]
  for (const term of wide)
    for (const joint of [' OR ', ' AND '])
      for (const sorted_by of ['-updated_at', '-is_in_the_wild', 'monitored', 'risk']) {
        const q = Array.from({ length: 20 }, () => term).join(joint)
        expect([q, (await answer(listVulns, { query: { q, sorted_by } })).status]).toEqual([q, 200])
      }
}, 60_000)

test('no query that can be read is too much for the database, and none is answered with 5xx', async () => {
  const { world } = scene
  const { answer } = await anOrg({ world })
  const names =
    'kev NOT monitored wild news vendor:a vendor~ab product:a:b product~a package:npm:x package~xyz cpe:cpe:/a:b:c:1 cwe:79 status:fixed status:undefined summary~"a b" summary~~"++" cveid~2024 cvss_vector:AV access_vector:LOCAL impact_integrity:NONE published<=7d updated:2024-01-01 score>=1 exploit_count>0 id=3 vendor_id=3 package_id=1 "text" word'.split(
      ' ',
    )
  const term = fc.constantFrom(...names)
  const query = fc.array(fc.tuple(term, fc.constantFrom(' AND ', ' OR ', ' ')), { minLength: 1, maxLength: 20 })
  const texts = fc.oneof(
    query.map((parts) => parts.flat().slice(0, -1).join('')),
    query.map((parts) => `NOT (${parts.flat().slice(0, -1).join('')})`),
    fc.string({ unit: 'binary', maxLength: 50 }),
  )
  const sort = fc.constantFrom(...vulnSorts, ...vulnSorts.map((field) => `-${field}`))
  await fc.assert(
    fc.asyncProperty(texts, sort, fc.option(fc.string({ maxLength: 20 })), async (q, sorted_by, search) => {
      const { status } = await answer(listVulns, { query: { q, sorted_by, ...(search && { search }) } })
      expect([200, 400]).toContain(status)
    }),
    { numRuns: 150 },
  )
}, 60_000)

test('every example of help, of the search box and of a field is answered, and finds what it says', async () => {
  const { world } = scene
  const { call, answer } = await anOrg({ world })
  const ofFields = offeredFields.map((field) => {
    const { kind, example } = getDefinition(field)
    return kind === 'flag' ? field : `${field}${['number', 'date'].includes(kind) ? '<=' : ':'}${example}`
  })
  for (const q of [...queryExamples.map(([example]) => example), boxExample, ...ofFields])
    expect([q, (await answer(listVulns, { query: { q } })).status]).toEqual([q, 200])
  // The form for a filter shows it without quotes.
  for (const field of offeredFields) {
    const { kind, example } = getDefinition(field)
    const read = parseValue(field, 'eq', kind === 'flag' ? 'true' : example.replaceAll('"', ''))
    expect([field, read]).toEqual([field, { value: expect.anything() }])
  }

  const found = async (q: string) => listIds(await call(listVulns, { query: { q } }))
  expect(await found('published:2024-01')).toEqual([apache])
  expect((await found('published:2024')).toSorted((a, b) => a - b)).toEqual(allListed)
  expect(await found('published:2023')).toEqual([])
  expect((await found('-kev -vendor:f5')).toSorted((a, b) => a - b)).toEqual([apache, bare])
  expect(await found('-(score<=100 OR kev) -published:2025')).toEqual(await found('NOT (score<=100 OR kev)'))
})
