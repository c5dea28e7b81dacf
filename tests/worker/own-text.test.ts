import { beforeEach, expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { addVuln } from '../../worker/editing/contract'
import { addExploit, deleteExploit, editExploit, listExploits } from '../../worker/exploits/contract'
import { saveRecords } from '../../worker/merge/save-records'
import { eachTest } from './support/each-test'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aWorld)
beforeEach(async () => {
  await saveRecords(openDb(world.env), {
    source: 'cve',
    records: [{ cveid: 'CVE-2026-1000', state: 'published', summary: 'A flaw.' }],
    is_backfill: true,
    now: new Date('2026-11-20T10:00:00Z'),
  })
})

async function anAnalyst() {
  const org = await anOrg({ world })
  await world.sql`UPDATE members SET manage_metadata = 1 WHERE org_id = ${org.org_id}`
  const found = async (search: string) =>
    (await org.call(listExploits, { query: { search } })).results.map(({ notes }) => notes)
  return { ...org, found }
}

const hits = async (index: string, match: string) =>
  (await rows(world.env, `SELECT rowid FROM ${index} WHERE ${index} MATCH ?1`, match)).length

test('private text of an organization stands in no index that others search, and follows each edit of its own', async () => {
  const [ours, theirs] = [await anAnalyst(), await anAnalyst()]
  const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns`
  const params = { id: vuln?.id ?? 0 }
  const link = 'https://intranet.example/poc'
  const { id, modified } = await ours.call(addExploit, { params, body: { link, notes: 'zanzibar module' } })
  expect([await ours.found('zanzibar'), await theirs.found('zanzibar')]).toEqual([['zanzibar module'], []])
  expect(await hits('exploits_fts', 'zanzibar OR intranet')).toBe(0)

  await ours.call(editExploit, { params, body: { id, modified, link, notes: 'timbuktu module' } as never })
  expect([await ours.found('zanzibar'), await ours.found('timbuktu')]).toEqual([[], ['timbuktu module']])
  await ours.call(deleteExploit, { params: { ...params, eid: id } })
  expect(await ours.found('timbuktu')).toEqual([])

  await ours.call(addVuln, { body: { summary: 'Our portal in zanzibar.' } as never })
  expect(await hits('vulns_fts', 'zanzibar')).toBe(0)
  expect(await hits('own_vulns_fts', `owner : "org${ours.org_id}" AND {cveid summary keywords} : (zanzibar)`)).toBe(1)
  expect(await hits('own_vulns_fts', `owner : "org${theirs.org_id}" AND {cveid summary keywords} : (zanzibar)`)).toBe(0)
})

test('so many private exploits of one organization as a search looks at do not hide a public one from another', async () => {
  const [ours, theirs] = [await anAnalyst(), await anAnalyst()]
  await saveRecords(openDb(world.env), {
    source: 'poc',
    records: [
      {
        cveid: 'CVE-2026-1000',
        state: 'awaiting',
        exploits: [
          {
            key: 'poc:1',
            link: 'https://github.com/acme/1',
            notes: 'zanzibar for all',
            trust_level: 'low',
            availability: 'public',
            maturity: 'poc',
            type: 'unknown',
          },
        ],
      },
    ],
    is_backfill: true,
    now: new Date('2026-11-20T11:00:00Z'),
  })
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
     INSERT INTO exploits(vuln_id, org_id, source, key, link, notes, trust_level, availability, maturity, modified)
     SELECT 1, ${theirs.org_id}, 'manual', i, 'https://x.example/' || i, 'zanzibar', 'high', 'public', 'poc', '2026-11-21T10:00:00Z' FROM n`
  expect(await ours.found('zanzibar')).toEqual(['zanzibar for all'])
})
