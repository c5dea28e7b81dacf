import { csvParse } from 'd3-dsv'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { writeXlsx } from 'hucre/xlsx'
import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { quoteCell } from '../../worker/monitoring/cells'
import { listAwaited } from '../../worker/monitoring/import-contract'
import { listGroups } from '../../worker/monitoring/contract'
import { countEdits } from '../../worker/domain/query/nearest'
import { listVulns } from '../../worker/vulns/contract'
import { rewatch } from '../../worker/watchlist/rewatch'
import { eachTest } from './support/each-test'
import { aListedWorld, csv, everything, addCsv, read, refusedCsv, save, uploadCsv } from './support/lists'
import { anOrg } from './support/org'

const world = eachTest(aListedWorld)

test('an import adds what its lines name, says what was there already and what nobody knows', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  expect(await addCsv(org, csv(...everything, 'product,apache:htp_server,', 'gadget,x,'))).toMatchObject({
    status: 'success',
    added: 4,
    already: 0,
    unknown: [
      {
        line: 6,
        type: 'product',
        value: 'apache:htp_server',
        reason: 'Not known yet: it is monitored as soon as the knowledge base names it',
        awaited: true,
        nearest: ['apache:http_server'],
      },
      { line: 7, type: 'gadget', value: 'x', reason: 'The type must be one of vendor, product, package, vuln' },
    ],
  })
  expect(await addCsv(org, csv(...everything))).toMatchObject({ added: 0, changed: 0, already: 4, unknown: [] })
  const { results } = await org.call(listVulns, { query: { monitored: true } })
  expect(results.map(({ cveid }) => cveid).sort()).toEqual(['CVE-2026-1001', 'CVE-2026-1002'])
})

test('a dry run says the same and writes nothing', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const tried = await addCsv(org, csv(...everything), { dry_run: 'true' })
  expect(tried).toMatchObject({ dry_run: true, added: 4 })
  expect(await read(org)).toBe('type,value,groups\r\n')
  expect(await addCsv(org, csv(...everything))).toEqual({ ...tried, dry_run: false })
})

test('a line that was not understood is mended, or left out', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const fixes = JSON.stringify([
    { line: 2, value: 'apache:tomcat' },
    { line: 3, skip: true },
  ])
  expect(await addCsv(org, csv('product,apache:tomkat,', 'nonsense,,'), { fixes })).toMatchObject({
    added: 1,
    unknown: [],
  })
  expect(await read(org)).toBe('type,value,groups\r\nproduct,apache:tomcat,\r\n')
})

test('a line that names what an earlier one names does nothing, and says so', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const lines = csv('vendor,nginx,dmz', 'vendor,NGINX,build', 'product, Acme : New Thing ,', 'product,acme:new_thing,')
  expect(await addCsv(org, lines)).toMatchObject({
    added: 1,
    awaited: 1,
    repeated: [
      { line: 3, type: 'vendor', value: 'nginx', first: 2 },
      { line: 5, type: 'product', value: 'acme:new_thing', first: 4 },
    ],
  })
  expect(await read(org, 'vendors')).toBe('type,value,groups\r\nvendor,nginx,dmz\r\n')
})

test('a list of products without what is taken out of its vendor is in step with itself', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  await addCsv(org, 'type,value,monitored\nvendor,apache,\nproduct,apache:tomcat,no\nproduct,apache:http_server,')
  const products = await read(org, 'products')
  expect(products).not.toContain('tomcat')
  expect(await addCsv(org, products, { mode: 'sync' })).toMatchObject({
    added: 0,
    changed: 0,
    removed: 0,
    unlisted: [],
  })
  expect(await read(org)).toContain('product,apache:tomcat,,no')
})

test('remove takes off what the lines name; sync makes the kinds that it names what it says', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  await addCsv(org, csv(...everything, 'product,apache:tomcat,', 'vendor,unheard_of,'))
  expect(await addCsv(org, csv('product,apache:tomcat,', 'vendor,unheard_of,'), { mode: 'remove' })).toMatchObject({
    removed: 2,
    unknown: [],
  })
  expect(csvParse(await read(org)).map(({ value }) => value)).toEqual([
    'nginx',
    'apache:http_server',
    'maven:org.apache.logging.log4j:log4j-core',
    'CVE-2026-1002',
  ])
  expect(await addCsv(org, csv('product,apache:tomcat,'), { mode: 'sync' })).toMatchObject({
    added: 1,
    removed: 1,
    unlisted: [{ type: 'product', value: 'apache:http_server' }],
  })
  await addCsv(org, csv('vendor,unheard_of,'))
  expect(await addCsv(org, csv('vendor,nginx,'), { mode: 'sync', dry_run: 'true' })).toMatchObject({
    removed: 1,
    unlisted: [{ type: 'vendor', value: 'unheard_of' }],
  })
  expect(csvParse(await read(org, 'products')).map(({ value }) => value)).toEqual(['apache:tomcat'])
  expect(csvParse(await read(org, 'vendors')).map(({ value }) => value)).toEqual(['nginx', 'unheard_of'])
})

const label = fc.constantFrom('dmz', 'build', 'böse gruppe', '9', 'a:b')
const line = fc.record({
  what: fc.constantFrom(
    'vendor,apache',
    'vendor,nginx',
    'vendor,=evil',
    'vendor,awaited_one',
    'product,apache:http_server',
    'product,apache:tomcat',
    'product,=evil:+sum',
    'product,-not:@known',
    'package,maven:org.apache.logging.log4j:log4j-core',
    'package,npm:@acme/widget',
    'package,npm:=left-pad',
    'vuln,CVE-2026-1001',
    'vuln,CVE-2027-99999',
  ),
  groups: fc.uniqueArray(label, { maxLength: 2 }),
  versions: fc.uniqueArray(fc.constantFrom('2.14.1', '=1', '-1', '1.0 beta', '3.0.13'), { maxLength: 2 }),
  taken: fc.boolean(),
})

test('a list that was exported and imported elsewhere is the same list', async () => {
  const fields = (...values: string[]) => values.map((value) => `"${quoteCell(value)}"`).join()
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(line, { selector: ({ what }) => what, maxLength: 8 }), async (lines) => {
      const [one, other] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
      const written = lines.map(({ what, groups, versions, taken }) => {
        const [type = '', value = ''] = what.split(/,(.*)/s)
        const runs = ['product', 'package'].includes(type) ? versions.join(';') : ''
        return fields(type, value, groups.join(';'), runs, type === 'product' && taken ? 'no' : '')
      })
      await addCsv(one, ['type,value,groups,versions,monitored', ...written].join('\n'))
      const exported = await read(one)
      const reply = await addCsv(other, exported)
      expect(reply.unknown.filter(({ awaited }) => !awaited)).toEqual([])
      expect(await read(other)).toBe(exported)
      expect(await addCsv(one, exported, { mode: 'sync' })).toMatchObject({ added: 0, changed: 0, removed: 0 })
      expect(await read(one)).toBe(exported)
    }),
    { numRuns: 25 },
  )
}, 120_000)

test('an imported list makes an organization watch what its items say, whatever was imported before', async () => {
  const db = openDb(world.env)
  const vuln_ids = (await world.sql<{ id: number }>`SELECT id FROM vulns`).map(({ id }) => id)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('add', 'remove', 'sync'), fc.array(line, { maxLength: 6 })), { maxLength: 4 }),
      async (lists) => {
        const org = await anOrg({ world, is_org_admin: true })
        for (const [mode, lines] of lists) {
          const written = lines.map(({ what, versions, taken }) => {
            const runs = what.startsWith('p') ? versions.filter((one) => !one.startsWith('=')).join(';') : ''
            return `${what},${runs},${taken ? 'no' : ''}`
          })
          await addCsv(org, ['type,value,versions,monitored', ...written].join('\n'), { mode })
        }
        const watched = () => world.sql`SELECT vuln_id, touched, verdict FROM org_vulns WHERE org_id = ${org.org_id}`
        const before = await watched()
        await db.$client.batch(rewatch(db, { vuln_ids }))
        expect(await watched()).toEqual(before)
      },
    ),
    { numRuns: 40 },
  )
}, 120_000)

test('a name that nobody knew is monitored by itself once the knowledge base names it', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const names = ['vendor,new corp,later', 'product,new_corp:thing,', 'package,npm:Fresh,dmz', 'vuln,cve-2027-4242,']
  const ids = ['vuln,ghsa-42QQ-2222-wwww,', 'vuln,KB5034441,']
  expect(await addCsv(org, csv(...names, ...ids))).toMatchObject({ added: 0, awaited: 5 })
  expect((await org.call(listAwaited, {})).results.map(({ value }) => value)).toEqual([
    'npm:Fresh',
    'new_corp:thing',
    'new_corp',
    'CVE-2027-4242',
    'GHSA-42qq-2222-wwww',
  ])
  expect(await org.call(listGroups)).toEqual([])
  await save(world, 'cve', [
    {
      cveid: 'CVE-2027-4242',
      state: 'published',
      affected: [{ vendor: 'new_corp', product: 'thing', ranges: ['a:1'] }],
      packages: [{ type: 'npm', name: 'Fresh', ranges: [] }],
    },
  ])
  await save(world, 'osv', [{ cveid: 'CVE-2027-4343', state: 'published', aliases: ['GHSA-42qq-2222-wwww'] }])
  expect(await org.call(listAwaited, {})).toMatchObject({ count: 0 })
  expect(await org.call(listGroups)).toEqual(['dmz', 'later'])
  expect(csvParse(await read(org)).map(({ value }) => value)).toEqual([
    'new_corp',
    'new_corp:thing',
    'npm:Fresh',
    'CVE-2027-4242',
    'CVE-2027-4343',
  ])
  const { results } = await org.call(listVulns, { query: { monitored: true } })
  expect(results.map(({ cveid }) => cveid).toSorted()).toEqual(['CVE-2027-4242', 'CVE-2027-4343'])
  expect(await addCsv(org, csv('vuln,ghsa-42qq-2222-WWWW,'))).toMatchObject({ added: 0, already: 1, awaited: 0 })
})

test('only the first name that anybody awaits makes a merge that runs meanwhile begin anew', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const version = async () =>
    (await world.sql<{ value: number }>`SELECT value FROM counters WHERE name = 'kb_version'`)[0]?.value ?? 0
  await world.sql`DELETE FROM awaited_names`
  const before = await version()
  await addCsv(org, csv('vendor,first_of_all,'))
  expect(await version()).toBe(before + 1)
  await addCsv(org, csv('vendor,first_of_all,', 'vendor,second_of_all,'))
  expect(await version()).toBe(before + 1)
})

test('a spreadsheet is read like a CSV', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const sheet = await writeXlsx({
    sheets: [
      {
        name: 'List',
        rows: [
          ['type', 'value', 'groups'],
          ['product', 'apache:tomcat', 'dmz'],
          ['vuln', 'CVE-2026-1002', ''],
        ],
      },
    ],
  })
  expect(await addCsv(org, sheet)).toMatchObject({ added: 2, unknown: [] })
})

const bytes = (...values: number[]) => new Uint8Array(values)
const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string) => new Uint8Array([0xff, 0xfe, ...[...text].flatMap((sign) => [sign.charCodeAt(0), 0])])

test('an unreadable row is refused with its line, and nothing of it is imported', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const good = 'vendor,nginx,'
  const bomb = zipSync({ 'xl/worksheets/sheet1.xml': new Uint8Array(40_000_000), '[Content_Types].xml': utf8('<a/>') })
  const parts = zipSync(Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`a${at}`, utf8('a')])))
  const refused: [string | Uint8Array, string][] = [
    [['type;name', good].join('\n'), '400 Line 1 must be the header: type,value,groups'],
    [csv(good, `vendor,${'x'.repeat(1_000_000)},`), '400 Line 3 has a cell of more than 2000 letters'],
    [csv(good, `vendor,"${'x\n'.repeat(5_000)}`), '400 Line 3 has a cell of more than 2000 letters'],
    [csv(good, ','.repeat(40)), '400 Line 3 has more than 20 columns'],
    [csv(...Array.from({ length: 10_001 }, () => good)), '400 The file has more than 10000 lines'],
    [
      new Uint8Array([...utf8(csv(good, 'vendor,')), 0xe9, 0x0a]),
      '400 Line 3 is not in UTF-8: save the file as CSV in UTF-8',
    ],
    [utf16(csv(good)), '400 The file is in UTF-16: save it as CSV in UTF-8'],
    [bomb, '400 The spreadsheet unpacks to more than 15 MB'],
    [parts, '400 The spreadsheet has more than 500 parts'],
    [bytes(0x50, 0x4b, 3, 4, 0, 0), '400 The spreadsheet is cut off: it has no directory'],
    [zipSync({ a: utf8('a') }), '400 The file cannot be read as a spreadsheet'],
    ['', '400 Line 1 must be the header: type,value,groups'],
  ]
  for (const [file, message] of refused) expect(await refusedCsv(org, file)).toContain(message.slice(0, 60))
  expect((await uploadCsv(org, 'x'.repeat(5_100_000))).status).toBe(413)
  expect(await read(org)).toBe('type,value,groups\r\n')
})

test('a list with a byte order mark, semicolons and blank lines is read', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const file = `\ufefftype;value;groups\r\nVendors; NGINX ;\r\n;;\r\nproduct;Apache:HTTP Server;"dmz, web"\r\n`
  expect(await addCsv(org, file)).toMatchObject({ added: 2, unknown: [] })
  expect(await read(org)).toBe(csv('vendor,nginx,', 'product,apache:http_server,dmz;web', ''))
})

test('the distance of two names is how many letters differ', () => {
  expect(countEdits('apache', 'apache')).toBe(0)
  expect(countEdits('apache', 'apachee')).toBe(1)
  expect(countEdits('', 'abc')).toBe(3)
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => countEdits(a, b) === countEdits(b, a)))
})
