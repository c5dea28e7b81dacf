import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { eachTest } from './support/each-test'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const now = new Date('2026-11-20T12:00:00Z')
const save = (source: string, cveid: string, more: Partial<VulnRecord> = {}) =>
  saveRecords(openDb(world.env), {
    source,
    records: [{ cveid, state: 'published', summary: cveid, ...more }],
    is_backfill: false,
    now,
  })
const listNames = async () =>
  (await world.sql<{ cveid: string }>`SELECT cveid FROM vulns ORDER BY id`).map(({ cveid }) => cveid)

test('a record renames no advisory of others that it calls the same', async () => {
  const [advisory, euvd] = ['GHSA-2222-3333-4444', 'EUVD-2026-1']
  await save('ghsa', advisory, { ref: advisory })
  await save('eukev', euvd)
  await save('malicious', 'CVE-2099-10001', { ref: 'MAL-2026-1', aliases: ['MAL-2026-1', advisory] })
  // Nor does one that stands beside its own record.
  await save('gcve', euvd, { ref: 'stranger' })
  await save('gcve', 'CVE-2099-10002', { ref: 'stranger', aliases: [euvd] })
  expect(await listNames()).toEqual([advisory, euvd, 'CVE-2099-10001', 'CVE-2099-10002'])

  await save('eukev', 'CVE-2026-10001', { aliases: [euvd] })
  await save('ghsa', 'CVE-2026-10002', { ref: advisory, aliases: [advisory] })
  expect(await listNames()).toEqual(['CVE-2026-10002', 'CVE-2026-10001', 'CVE-2099-10001', 'CVE-2099-10002'])
})

test('a time that is far ahead is none, and stands before no other', async () => {
  const times = async () => world.sql`SELECT published, modified FROM vulns ORDER BY id`
  const of = (text: string) => Date.parse(text) / 1_000
  const [past, future, soon] = ['2026-11-18T00:00:00Z', '2999-01-01T00:00:00Z', '2026-11-21T00:00:00Z']
  await save('osv', 'CVE-2026-10001', { ref: 'GO-2026-1', published: future, modified: future })
  await save('ghsa', 'CVE-2026-10001', { ref: 'GHSA-2222-3333-4444', published: past, modified: soon })
  await save('osv', 'GO-2026-2', { ref: 'GO-2026-2', published: future, modified: future })
  expect(await times()).toEqual([
    { published: of(past), modified: of(soon) },
    { published: null, modified: null },
  ])
})

test('an exploit, a threat and a claim of a time that is far ahead have none', async () => {
  const exploit = (key: string, published: string) => ({
    key,
    published,
    link: 'https://exploits.test/1',
    notes: '',
    trust_level: 'medium' as const,
    availability: 'public' as const,
    maturity: 'poc' as const,
    type: 'unknown' as const,
  })
  const third = { by: 'third', name: 'Third KEV', exploited: true, reason: 'confirmed' as const, notes: '', link: '' }
  const exploits = [exploit('one', '2999-01-01T00:00:00Z'), exploit('two', '2026-11-18T00:00:00Z')]
  await save('exploitdb', 'CVE-2026-10001', { exploits })
  await save('gcve', 'CVE-2026-10001', {
    ref: 'third',
    claims: [
      { ...third, key: 'far', added: '2999-01-01' },
      { ...third, key: 'soon', added: '2026-11-21' },
    ],
  })
  await save('exploitdb', 'CVE-2026-10002', { exploits: exploits.slice(0, 1) })
  const news = {
    link: 'https://news.test/1',
    notes: '',
    trust_level: 'medium' as const,
    is_in_the_wild: false,
    is_in_the_news: true,
  }
  const [past, far] = ['2026-11-18T00:00:00Z', '2999-01-01T00:00:00Z']
  await save('gcve', 'CVE-2026-10002', {
    ref: 'news',
    threats: [
      { ...news, key: 'far', published: far, modified: far },
      { ...news, key: 'past', published: past, modified: far },
    ],
  })
  expect(await world.sql`SELECT published, modified FROM threats WHERE link = ${news.link} ORDER BY key`).toEqual([
    { published: null, modified: '2026-11-20T12:00:00Z' },
    { published: past, modified: past },
  ])
  expect(await world.sql`SELECT exploit_published FROM vulns ORDER BY cveid`).toEqual([
    { exploit_published: '2026-11-18T00:00:00Z' },
    { exploit_published: null },
  ])
  expect(await world.sql`SELECT key, added FROM exploitation_claims ORDER BY key`).toEqual([
    { key: 'far', added: '' },
    { key: 'soon', added: '2026-11-21' },
  ])
})
