import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { saveRecords } from '../../worker/merge/save-records'
import { correctSearch } from '../../worker/search/contract'
import { listVulns } from '../../worker/vulns/contract'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

const now = new Date('2026-11-20T10:00:00Z')

test('a search with words that no vulnerability has is offered with the nearest known names', async () => {
  const world = aWorld()
  const { call } = await anOrg({ world })
  const affected = [
    { vendor: 'fortinet', product: 'fortios', ranges: ['o:7.0'] },
    { vendor: 'apache', product: 'http_server', ranges: ['a:2.4.1'] },
  ]
  const references = [{ url: 'https://www.fortiguard.com/psirt/FG-IR-24-001', tags: [] }]
  const records = [
    { cveid: 'CVE-2014-0160', state: 'published' as const, summary: 'A missing bounds check' },
    { cveid: 'CVE-2024-10001', state: 'published' as const, summary: 'An overflow in FortiOS', affected, references },
  ]
  await saveRecords(openDb(world.env), { source: 'nvd', records, is_backfill: true, now })
  const correct = async (search: string) => (await call(correctSearch, { query: { search } }))?.search ?? null

  expect(await correct('fortinte')).toBe('fortinet')
  expect(await correct('Apahce overflow')).toBe('apache overflow')
  expect(await correct('fortinte apahce')).toBe('fortinet apache')
  expect(await correct('heartblead')).toBe('heartbleed')
  expect(await correct('forti net overflow')).toBe('fortinet overflow')
  // Words known, short or near to nothing stay as they are.
  expect(await correct('overflow')).toBe(null)
  expect(await correct('fort')).toBe(null)
  expect(await correct('xyz')).toBe(null)
  expect(await correct('zzzzzzzz')).toBe(null)
  expect(await correct('rce k8s')).toBe(null)
  expect(await correct('"fortinte* OR')).toBe('fortinet')
  expect(await correct('')).toBe(null)

  // Words that name a filter become one, and words that no text has beside a name are left out.
  const meant = (search: string) => call(correctSearch, { query: { search } })
  expect(await meant('fortinte kev 2024')).toEqual({ search: 'fortinet', q: 'kev published:2024' })
  expect(await meant('fortinet sqli overflow')).toEqual({ search: 'fortinet', q: '' })
  expect(await meant('sqli ssrf')).toBe(null)
  // An advisory that only an address names is found by its id.
  const found = async (search: string) => (await call(listVulns, { query: { search } })).results.length
  expect([await found('fg-ir-24-001'), await found('FG-IR-24-001 overflow'), await found('FG-IR-24-002')]).toEqual([
    1, 1, 0,
  ])
})
