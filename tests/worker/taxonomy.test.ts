import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { runSync, syncInfo } from '../../worker/feeds/contract'
import type { FeedInfo } from '../../worker/feeds/contract'
import { getWeakness, listWeaknesses } from '../../worker/taxonomy/contract'
import { findWeakness } from '../../worker/taxonomy/refs'
import { anOrg, rows } from './support/org'
import { fakeOrigins } from './support/origins'
import type { Origins } from './support/origins'
import { aWorld } from './support/world'
import type { World } from './support/world'

const settings = {
  CWE_URL: 'https://cwe.test/cwec_latest.xml.zip',
  CAPEC_URL: 'https://capec.test/stix-capec.json',
  ATTACK_URL: 'https://attack.test/enterprise.json https://attack.test/ics.json',
}

let origins: Origins
let world: World
let files: Record<string, () => Response>
let admin: Awaited<ReturnType<typeof anOrg>>
beforeEach(async () => {
  origins = fakeOrigins()
  origins.instead = (url) => files[url.href]?.() ?? null
  world = aWorld(settings)
  files = {
    [settings.CWE_URL]: () => zipped(catalogue()),
    [settings.CAPEC_URL]: () =>
      Response.json(bundle([aPattern(63, { cwe: [79], attack: ['T1059.007'] }), aRelationship])),
    'https://attack.test/enterprise.json': () =>
      Response.json({
        ...bundle([aTechnique('T1059.007', 'JavaScript'), aTechnique('T1499', 'Flood')]),
        spec_version: '2.0',
      }),
    'https://attack.test/ics.json': () =>
      Response.json(bundle([aTechnique('T0814', 'Denial of Service', ['ics-attack'])])),
  }
  admin = await anOrg({ world, is_admin: true })
})
afterEach(() => origins.restore())

async function sync(feed: FeedInfo['id']) {
  await admin.call(runSync, { query: { feed } })
  await world.drain()
  return (await admin.call(syncInfo)).feeds.find(({ id }) => id === feed)
}

const weaknessXml = (id: number, name: string, inside: string) =>
  `<Weakness ID="${id}" Name="${name}" Abstraction="Base" Structure="Simple" Status="Stable">${inside}</Weakness>`
const catalogue = (weaknesses = [xss, overflow].join('')) => `<?xml version="1.0" encoding="UTF-8"?>
<Weakness_Catalog Name="CWE" Version="4.16" xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml="http://www.w3.org/1999/xhtml">
  <Weaknesses>${weaknesses}</Weaknesses>
  <Categories>
    <Category ID="264" Name="Permissions, Privileges, and Access Controls" Status="Obsolete">
      <Summary>About permissions.</Summary>
      <Relationships><Has_Member CWE_ID="79" View_ID="1"/></Relationships>
    </Category>
  </Categories>
</Weakness_Catalog>`
const xss = weaknessXml(
  79,
  'Improper Neutralization of Input (&apos;XSS&apos;)',
  `<Description>Characters such as "&lt;" &amp; "&gt;" stay as they are.</Description>
   <Extended_Description>
     <xhtml:p>There are two
        kinds:</xhtml:p>
     <xhtml:ul><xhtml:li>stored</xhtml:li><xhtml:li>reflected</xhtml:li></xhtml:ul>
   </Extended_Description>
   <Related_Weaknesses>
     <Related_Weakness Nature="ChildOf" CWE_ID="787" View_ID="1000" Ordinal="Primary"/>
     <Related_Weakness Nature="ChildOf" CWE_ID="787" View_ID="1003" Ordinal="Primary"/>
   </Related_Weaknesses>
   <Potential_Mitigations><Mitigation><Description>Not the description.</Description></Mitigation></Potential_Mitigations>
   <Likelihood_Of_Exploit>High</Likelihood_Of_Exploit>`,
)
const overflow = weaknessXml(787, 'Out-of-bounds Write', '<Description>Writes past the end.</Description>')

const zipped = (xml: string, cut = 0) => {
  const bytes = zipSync({ 'cwec_v4.16.xml': strToU8(xml) })
  return new Response(bytes.slice(0, bytes.length - cut))
}

const bundle = (objects: unknown[]) => ({ type: 'bundle', id: 'bundle--1', objects })
const aRelationship = { type: 'relationship', source_ref: 'attack-pattern--1', target_ref: 'course-of-action--1' }
const aPattern = (id: number, { cwe = [] as number[], attack = [] as string[], more = {} } = {}) => ({
  type: 'attack-pattern',
  name: `Pattern ${id}`,
  description: '<xhtml:p>An adversary acts.</xhtml:p>',
  external_references: [
    { source_name: 'capec', external_id: `CAPEC-${id}`, url: `https://capec.mitre.org/data/definitions/${id}.html` },
    ...cwe.map((number) => ({ source_name: 'cwe', external_id: `CWE-${number}` })),
    ...attack.map((technique) => ({ source_name: 'ATTACK', external_id: technique, description: 'Some name' })),
    { source_name: 'reference_from_CAPEC', external_id: 'REF-1' },
  ],
  x_capec_status: 'Stable',
  x_capec_likelihood_of_attack: 'High',
  x_capec_typical_severity: 'Very High',
  ...more,
})
const aTechnique = (id: string, name: string, domains = ['enterprise-attack'], more: Record<string, unknown> = {}) => ({
  type: 'attack-pattern',
  name,
  description: 'Runs [scripts](https://attack.mitre.org/x) in `sh`.(Citation: Somebody 2020)',
  external_references: [
    {
      source_name: 'mitre-attack',
      external_id: id,
      url: `https://attack.mitre.org/techniques/${id.replace('.', '/')}`,
    },
    { source_name: 'Somebody 2020', url: 'https://example.org' },
  ],
  x_mitre_domains: domains,
  ...more,
})

test('CWE is read from its XML: names, texts without XHTML, relations once, categories too', async () => {
  expect(await sync('cwe')).toMatchObject({ state: 'idle', records: 3, changed: 3, skipped: 0, total: 3 })
  const { results, count } = await admin.call(listWeaknesses)
  expect(count).toBe(3)
  expect(results.map(({ cwe_id, name }) => [cwe_id, name])).toEqual([
    ['CWE-79', "Improper Neutralization of Input ('XSS')"],
    ['CWE-264', 'Permissions, Privileges, and Access Controls'],
    ['CWE-787', 'Out-of-bounds Write'],
  ])
  const detail = await admin.call(getWeakness, { params: { id: 'CWE-79' } })
  expect(detail).toMatchObject({
    abstraction: 'Base',
    status: 'Stable',
    likelihood: 'High',
    description: 'Characters such as "<" & ">" stay as they are.\nThere are two kinds:\n- stored\n- reflected',
    related: [{ nature: 'ChildOf', id: 787, cwe_id: 'CWE-787', name: 'Out-of-bounds Write' }],
  })
  expect(await admin.call(getWeakness, { params: { id: '264' } })).toMatchObject({
    abstraction: 'Category',
    description: 'About permissions.',
  })
})

test('CWE is read from JSON alike, whether a text is XHTML or holds a bare bracket', async () => {
  await sync('cwe')
  const fromXml = await rows(world.env, 'SELECT * FROM weaknesses ORDER BY id')
  files[settings.CWE_URL] = () =>
    Response.json({
      weaknesses: [
        {
          id: '79',
          name: "Improper Neutralization of Input ('XSS')",
          abstraction: 'Base',
          status: 'Stable',
          description: 'Characters such as "<" & ">" stay as they are.',
          extended_description:
            '\n <xhtml:p>There are two\n kinds:</xhtml:p>\n<xhtml:ul>\n<xhtml:li>stored</xhtml:li><xhtml:li>reflected</xhtml:li></xhtml:ul>',
          likelihood_of_exploit: 'High',
          related_weaknesses: [
            { nature: 'ChildOf', cweid: '787', view_id: '1000' },
            { nature: 'ChildOf', cweid: '787', view_id: '1003' },
          ],
        },
        {
          id: '787',
          name: 'Out-of-bounds Write',
          abstraction: 'Base',
          status: 'Stable',
          description: 'Writes past the end.',
        },
      ],
      categories: [
        {
          id: '264',
          name: 'Permissions, Privileges, and Access Controls',
          status: 'Obsolete',
          summary: 'About permissions.',
        },
      ],
      views: [],
    })
  expect(await sync('cwe')).toMatchObject({ state: 'idle', records: 3, changed: 0 })
  expect(await rows(world.env, 'SELECT * FROM weaknesses ORDER BY id')).toEqual(fromXml)
})

test('a second sync of the same files writes nothing', async () => {
  for (const feed of ['cwe', 'capec', 'attack'] as const) {
    await sync(feed)
    expect(await sync(feed)).toMatchObject({ state: 'idle', changed: 0, last_error: null })
  }
})

test.each([
  ['an archive that is cut off', () => zipped(catalogue(), 150), /cut off|cannot be read/],
  ['an archive without XML', () => new Response(zipSync({ 'readme.txt': strToU8('hello') })), /holds no XML/],
  ['XML that breaks off', () => zipped(catalogue().slice(0, 900)), /cannot be read|unclosed|unexpected/],
  ['a page of HTML', () => new Response('<html>maintenance</html>'), /not the catalogue/],
  ['an empty catalogue', () => Response.json({ weaknesses: [] }), /no records/],
  ['404', () => new Response('', { status: 404 }), /No such file/],
])('%s stops CWE with a readable error and takes nothing away', async (_, fault, error) => {
  await sync('cwe')
  files[settings.CWE_URL] = fault
  expect(await sync('cwe')).toMatchObject({ state: 'failed', last_error: expect.stringMatching(error) })
  expect((await admin.call(listWeaknesses)).count).toBe(3)
})

test('what a catalogue no longer has goes, but never more than a tenth at once', async () => {
  const many = Array.from({ length: 40 }, (_, at) => weaknessXml(1000 + at, `W${at}`, '<Description>x</Description>'))
  files[settings.CWE_URL] = () => zipped(catalogue(many.join('')))
  await sync('cwe')
  files[settings.CWE_URL] = () => zipped(catalogue(many.slice(0, 20).join('')))
  expect(await sync('cwe')).toMatchObject({
    state: 'failed',
    last_error: expect.stringContaining('20 of 41 weaknesses'),
  })

  files[settings.CWE_URL] = () => zipped(catalogue(many.slice(0, 38).join('')))
  expect(await sync('cwe')).toMatchObject({ state: 'idle', records: 39, changed: 2 })
  expect((await admin.call(listWeaknesses)).count).toBe(39)
})

test('a weakness that cannot be read is skipped with its reason and stays as it was', async () => {
  await sync('cwe')
  files[settings.CWE_URL] = () => zipped(catalogue(xss + overflow.replace('Name="Out-of-bounds Write"', '')))
  expect(await sync('cwe')).toMatchObject({ state: 'idle', records: 3, skipped: 1, changed: 0 })
  expect(await rows(world.env, 'SELECT record_id, reason FROM feed_skips')).toEqual([
    { record_id: 'CWE-787', reason: expect.stringContaining('name') },
  ])
  expect(await admin.call(getWeakness, { params: { id: '787' } })).toMatchObject({ name: 'Out-of-bounds Write' })
})

test('CAPEC leads from a weakness to its patterns and techniques; deprecated patterns are left out', async () => {
  await sync('cwe')
  await sync('attack')
  const deprecated = aPattern(64, { cwe: [79], more: { x_capec_status: 'Deprecated' } })
  files[settings.CAPEC_URL] = () =>
    Response.json(bundle([aPattern(63, { cwe: [79, 787], attack: ['T1059.007'] }), deprecated, aRelationship]))
  expect(await sync('capec')).toMatchObject({ state: 'idle', records: 1, skipped: 0 })

  const javascript = {
    external_id: 'T1059.007',
    url: 'https://attack.mitre.org/techniques/T1059/007',
    description: 'JavaScript',
  }
  const detail = await admin.call(getWeakness, { params: { id: 'CWE-79' } })
  expect(detail.refs).toEqual({ CAPEC: ['CAPEC-63'], 'MITRE-ATTACK': [javascript] })
  expect(detail.patterns).toEqual([
    {
      capec_id: 'CAPEC-63',
      name: 'Pattern 63',
      description: 'An adversary acts.',
      likelihood: 'High',
      severity: 'Very High',
      technique_ids: ['T1059.007'],
    },
  ])
  expect(detail.techniques[0]).toMatchObject({
    name: 'JavaScript',
    description: 'Runs scripts in `sh`.',
    domains: ['enterprise'],
  })
  expect((await admin.call(listWeaknesses, { query: { search: 'cwe-787' } })).results[0]?.refs.CAPEC).toEqual([
    'CAPEC-63',
  ])
})

test('sub-techniques and all domains of ATT&CK come in, STIX 2.0 and 2.1; revoked and deprecated ones do not', async () => {
  files['https://attack.test/enterprise.json'] = () =>
    Response.json(
      bundle([
        aTechnique('T1059', 'Scripting'),
        aTechnique('T1059.001', 'PowerShell', ['enterprise-attack', 'ics-attack']),
        aTechnique('T1574.002', 'Old', ['enterprise-attack'], { revoked: true }),
        aTechnique('T1513', 'Older', ['enterprise-attack'], { x_mitre_deprecated: true }),
        { type: 'x-mitre-detection-strategy', name: 'DET' },
        { type: 'x-mitre-analytic', name: 'About "attack-pattern" objects' },
      ]),
    )
  const older = aTechnique('T0815', 'View', ['ics-attack'])
  older.external_references[0] = {
    source_name: 'mitre-ics-attack',
    external_id: 'T0815',
    url: 'https://attack.mitre.org/techniques/T0815',
  }
  files['https://attack.test/ics.json'] = () => Response.json(bundle([older]))
  expect(await sync('attack')).toMatchObject({ state: 'idle', records: 3, skipped: 0 })
  expect(await rows(world.env, 'SELECT external_id, domains FROM techniques ORDER BY external_id')).toEqual([
    { external_id: 'T0815', domains: '["ics"]' },
    { external_id: 'T1059', domains: '["enterprise"]' },
    { external_id: 'T1059.001', domains: '["enterprise","ics"]' },
  ])
})

test('a technique that ATT&CK has taken back is not named, and one domain that is down stops the run', async () => {
  await sync('attack')
  files[settings.CAPEC_URL] = () => Response.json(bundle([aPattern(63, { cwe: [79], attack: ['T1513', 'T1499'] })]))
  await sync('capec')
  const db = openDb(world.env)
  expect((await findWeakness(db, ['CWE-79'])).cwe_refs['MITRE-ATTACK'].map((one) => one.external_id)).toEqual(['T1499'])

  files['https://attack.test/ics.json'] = () => new Response('', { status: 503 })
  expect(await sync('attack')).toMatchObject({ state: 'failed', last_error: expect.stringContaining('503') })
})

test('a vulnerability learns the name of its first known weakness and all that use any of them', async () => {
  for (const feed of ['cwe', 'capec', 'attack'] as const) await sync(feed)
  const db = openDb(world.env)
  expect(await findWeakness(db, ['NVD-CWE-Other', 'CWE-9999', 'CWE-787', 'CWE-79'])).toEqual({
    cwe_name: 'Out-of-bounds Write',
    cwe_refs: { CAPEC: ['CAPEC-63'], 'MITRE-ATTACK': [expect.objectContaining({ external_id: 'T1059.007' })] },
    cwe_names: { 'CWE-79': "Improper Neutralization of Input ('XSS')", 'CWE-787': 'Out-of-bounds Write' },
  })
  expect(await findWeakness(db, ['NVD-CWE-noinfo'])).toEqual({
    cwe_name: null,
    cwe_refs: { CAPEC: [], 'MITRE-ATTACK': [] },
    cwe_names: {},
  })
})

test('weaknesses are found by id and by words; any text is answered', async () => {
  await sync('cwe')
  const found = async (search: string) =>
    (await admin.call(listWeaknesses, { query: { search } })).results.map(({ cwe_id }) => cwe_id)
  expect(await found('CWE-79')).toEqual(['CWE-79'])
  expect(await found('out-of-bounds')).toEqual(['CWE-787'])
  expect(await found('reflected')).toEqual(['CWE-79'])
  expect(await found('" OR AND NOT *')).toEqual([])
  expect(await found('\u0000')).toEqual([])
  expect((await admin.answer(getWeakness, { params: { id: '4711' } })).status).toBe(404)
  expect((await admin.answer(getWeakness, { params: { id: 'CWE-x' } })).status).toBe(400)
})

test('a page of weaknesses reads few rows, however many there are', async () => {
  const many = Array.from({ length: 1400 }, (_, at) => weaknessXml(1000 + at, `W${at}`, '<Description>x</Description>'))
  files[settings.CWE_URL] = () => zipped(catalogue(many.join('')))
  await sync('cwe')
  world.env.METER = '1'
  for (const query of [{}, { page: 3 }, { search: 'CWE-1010' }, { search: 'W17' }]) {
    const { headers } = await admin.answer(listWeaknesses, { query })
    expect(
      Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1]),
      JSON.stringify(query),
    ).toBeLessThanOrEqual(200)
  }
})
