import { z } from 'zod'
import type { VulnRecord } from '../domain/record'
import type { Db } from '../db/open'
import type { Feed, Skip } from './feed'
import { openSource, SourceError } from './fetch-source'
import { jsonElements } from './json-elements'
import { fromKev, KevEntry } from './kev-record'
import { readRecord } from './read-records'

const Catalogue = z.object({ catalogVersion: z.string(), count: z.int() })
const maxBytes = 50_000_000
const chunkRecords = 500
/** More than this share gone at once is a broken catalogue, not a correction. */
const maxWithdrawn = 0.1

const KevCursor = z.object({ origin: z.string(), version: z.string() })
type KevCursor = z.output<typeof KevCursor>

export const kev: Feed<KevCursor> = {
  name: 'CISA KEV',
  every_minutes: 30,
  cursor: KevCursor,
  async step(run, cursor) {
    const origin = run.env.KEV_URL
    const is_backfill = cursor?.origin !== origin
    const source = await openSource(origin, { max_bytes: maxBytes })
    if (!source) throw new SourceError(`No such file: ${origin}`)

    const elements = jsonElements(source.body, 'vulnerabilities')
    const records: VulnRecord[] = []
    const skipped: Skip[] = []
    let element = await elements.next()
    for (; !element.done; element = await elements.next()) {
      const one = readRecord(element.value, (json) => json, KevEntry, fromKev)
      if ('record' in one) records.push(one.record)
      else skipped.push(one.skip)
    }
    const { catalogVersion, count } = Catalogue.parse(element.value)
    if (count !== records.length + skipped.length)
      throw new SourceError(`The catalogue says ${count} entries and holds ${records.length + skipped.length}`)
    run.setTotal(count)

    const withdrawn = await findWithdrawn(run.db, new Set([...records, ...skipped.map(idOf)].map(({ cveid }) => cveid)))
    if (withdrawn.length > maxWithdrawn * Math.max(records.length, 10))
      throw new SourceError(`${withdrawn.length} entries would be withdrawn at once`)

    const at = cursor?.origin === origin ? cursor : { origin, version: '' }
    for (let from = 0; from < records.length; from += chunkRecords) {
      const some = records.slice(from, from + chunkRecords)
      // Until the last chunk is in, the cursor says that this origin was not read: a first load stays a first load.
      await run.commit(
        'kev',
        { records: some, read: some.length, is_backfill },
        is_backfill ? { origin: '', version: '' } : at,
      )
    }
    const end = { origin, version: catalogVersion }
    await run.commit('kev', { records: withdrawn, skipped, read: skipped.length, is_backfill }, end)
    return { cursor: end, done: true }
  },
}

const idOf = ({ record_id }: Skip) => ({ cveid: record_id })

// An entry that CISA took back stays as an empty record: the vulnerability is then what its other sources say.
async function findWithdrawn(db: Db, listed: Set<string>): Promise<VulnRecord[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT v.cveid FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id
       WHERE r.source = 'kev' AND r.body LIKE '%"kev":%'`,
    )
    .all<{ cveid: string }>()
  return results.filter(({ cveid }) => !listed.has(cveid)).map(({ cveid }) => ({ cveid, state: 'awaiting' }))
}
