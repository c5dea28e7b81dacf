import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { getWeakness, listWeaknesses } from '../../worker/taxonomy/contract'
import { findEachWeakness } from '../../worker/taxonomy/refs'
import { eachTest } from './support/each-test'
import {
  aTaxonomyScene,
  taxonomySettings,
  weaknessXml,
  catalogue,
  xss,
  overflow,
  zipped,
} from './support/taxonomy-scene'

const scene = eachTest(aTaxonomyScene)

test('CWE is read from its XML: names, texts without XHTML, relations once, categories too', async () => {
  const { admin, sync } = scene
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
  const { world, files, sync } = scene
  await sync('cwe')
  const fromXml = await world.sql`SELECT * FROM weaknesses ORDER BY id`
  files[taxonomySettings.CWE_URL] = () =>
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
  expect(await world.sql`SELECT * FROM weaknesses ORDER BY id`).toEqual(fromXml)
})

test('a second sync of the same files writes nothing', async () => {
  const { sync } = scene
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
  const { files, admin, sync } = scene
  await sync('cwe')
  files[taxonomySettings.CWE_URL] = fault
  expect(await sync('cwe')).toMatchObject({ state: 'failed', last_error: expect.stringMatching(error) })
  expect((await admin.call(listWeaknesses)).count).toBe(3)
})

test('entries that a catalogue no longer has go, but never more than a tenth at once', async () => {
  const { files, admin, sync } = scene
  const many = Array.from({ length: 40 }, (_, at) => weaknessXml(1000 + at, `W${at}`, '<Description>x</Description>'))
  files[taxonomySettings.CWE_URL] = () => zipped(catalogue(many.join('')))
  await sync('cwe')
  files[taxonomySettings.CWE_URL] = () => zipped(catalogue(many.slice(0, 20).join('')))
  expect(await sync('cwe')).toMatchObject({
    state: 'failed',
    last_error: expect.stringContaining('20 of 41 weaknesses'),
  })

  files[taxonomySettings.CWE_URL] = () => zipped(catalogue(many.slice(0, 38).join('')))
  expect(await sync('cwe')).toMatchObject({ state: 'idle', records: 39, changed: 2 })
  expect((await admin.call(listWeaknesses)).count).toBe(39)
})

test('a weakness that cannot be read is skipped with its reason and stays as it was', async () => {
  const { world, files, admin, sync } = scene
  await sync('cwe')
  files[taxonomySettings.CWE_URL] = () => zipped(catalogue(xss + overflow.replace('Name="Out-of-bounds Write"', '')))
  expect(await sync('cwe')).toMatchObject({ state: 'idle', records: 3, skipped: 1, changed: 0 })
  expect(await world.sql`SELECT record_id, reason FROM feed_skips`).toEqual([
    { record_id: 'CWE-787', reason: expect.stringContaining('name') },
  ])
  expect(await admin.call(getWeakness, { params: { id: '787' } })).toMatchObject({ name: 'Out-of-bounds Write' })
})

test('a vulnerability learns the name of its first known weakness and all that use any of them', async () => {
  const { world, sync } = scene
  for (const feed of ['cwe', 'capec', 'attack'] as const) await sync(feed)
  const db = openDb(world.env)
  const name = async (...cwe_ids: string[]) => (await findEachWeakness(db, cwe_ids))(cwe_ids)
  expect(await name('NVD-CWE-Other', 'CWE-9999', 'CWE-787', 'CWE-79')).toEqual({
    cwe_name: 'Out-of-bounds Write',
    cwe_refs: { CAPEC: ['CAPEC-63'], 'MITRE-ATTACK': [expect.objectContaining({ external_id: 'T1059.007' })] },
    cwe_names: { 'CWE-79': "Improper Neutralization of Input ('XSS')", 'CWE-787': 'Out-of-bounds Write' },
  })
  expect(await name('NVD-CWE-noinfo')).toEqual({
    cwe_name: null,
    cwe_refs: { CAPEC: [], 'MITRE-ATTACK': [] },
    cwe_names: {},
  })
})

test('weaknesses are found by id and by words; any text is answered', async () => {
  const { admin, sync } = scene
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
  const { world, files, admin, sync } = scene
  const many = Array.from({ length: 1400 }, (_, at) => weaknessXml(1000 + at, `W${at}`, '<Description>x</Description>'))
  files[taxonomySettings.CWE_URL] = () => zipped(catalogue(many.join('')))
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
