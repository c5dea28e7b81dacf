import { expect, test } from 'vitest'
import { openDb, type Db } from '../../worker/db/open'
import type { VulnRecord } from '../../worker/domain/words/record'
import { fromKev, KevEntry } from '../../worker/feeds/signals/kev-record'
import { saveRecords } from '../../worker/merge/save-records'
import { scoreStatements } from '../../worker/merge/save-scores'
import { aKevEntry } from '../support/records'
import { beforeWriting } from './support/before-writing'
import { rows } from './support/org'
import { aWorld } from './support/world'

const now = new Date('2026-11-20T10:00:00Z')
const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const rated = { published: '2026-01-01T00:00:00Z', cvss3: { score: 9.8, vector, by: 'nvd' } } as const

async function sayEpss(db: Db, cveid: string, epss: number, is_comparable = false) {
  const about = { score_date: '2026-11-20', is_comparable, now }
  const { counted, listed, more } = await scoreStatements(db, [[cveid, epss, 0.9]], about)
  await db.$client.batch([...counted, ...listed, ...more])
}

test('a score from before a merge is not written over the one that the merge computed', async () => {
  const { env } = aWorld()
  const db = openDb(env)
  const say = (source: 'kev' | 'nvd', record: VulnRecord) =>
    saveRecords(db, { source, records: [record], is_backfill: false, now })
  const begin = async (cveid: string) => {
    await say('kev', fromKev(KevEntry.parse(aKevEntry(cveid))))
    await sayEpss(db, cveid, 0.1)
    return () => say('nvd', { cveid, state: 'published', ...rated })
  }
  const undisturbed = 'CVE-2026-30000'
  await (
    await begin(undisturbed)
  )()
  await sayEpss(db, undisturbed, 0.9)
  for (const [cveid, is_comparable] of [
    ['CVE-2026-30001', true],
    ['CVE-2026-30002', false],
  ] as const) {
    const DB = beforeWriting(env.DB, 'UPDATE vulns SET score', await begin(cveid))
    await sayEpss(openDb({ ...env, DB }), cveid, 0.9, is_comparable)
  }
  const scores = await rows(env, 'SELECT score FROM vulns ORDER BY cveid')
  expect(scores).toEqual([scores[0], scores[0], scores[0]])
  expect(await rows(env, "SELECT 1 FROM vuln_changes WHERE source = 'earshot'")).toEqual([])
})
