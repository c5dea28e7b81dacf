import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { saveRecords } from '../../worker/merge/save-records'
import { correctSearch } from '../../worker/search/contract'
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
  const records = [
    { cveid: 'CVE-2024-10001', state: 'published' as const, summary: 'An overflow in FortiOS', affected },
  ]
  await saveRecords(openDb(world.env), { source: 'nvd', records, is_backfill: true, now })
  const correct = async (search: string) => (await call(correctSearch, { query: { search } })).search

  expect(await correct('fortinte')).toBe('fortinet')
  expect(await correct('Apahce overflow')).toBe('apache overflow')
  expect(await correct('fortinte apahce')).toBe('fortinet apache')
  expect(await correct('heartblead')).toBe('heartbleed')
  // What is known, short or near to nothing stays as it is.
  expect(await correct('overflow')).toBe(null)
  expect(await correct('fort')).toBe(null)
  expect(await correct('xyz')).toBe(null)
  expect(await correct('zzzzzzzz')).toBe(null)
  expect(await correct('rce k8s')).toBe(null)
  expect(await correct('"fortinte* OR')).toBe('fortinet')
  expect(await correct('')).toBe(null)
})
