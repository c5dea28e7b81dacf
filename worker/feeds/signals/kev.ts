import * as z from 'zod'
import type { VulnRecord } from '../../domain/words/record'
import { commitWhole, WholeCursor } from '../source/commit-whole'
import { defineFeed } from '../source/feed'
import type { Skip } from '../source/skip'
import { SourceError } from '../read/source-error'
import { jsonElements } from '../read/json-elements'
import { fromKev, KevEntry } from './kev-record'
import { openList, watchList } from '../source/open-list'
import { readRecord } from '../source/read-records'

const Catalogue = z.object({ count: z.int() })
const maxBytes = 50_000_000

export const kev = defineFeed({
  id: 'kev',
  name: 'CISA KEV',
  every_minutes: 2,
  quiet_days: 21,
  origin: 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  topics: ['vias'],
  cursor: WholeCursor,
  watch: watchList,
  async step(run, cursor) {
    const { origin } = run
    const list = await openList(origin, cursor, maxBytes)
    if (list.kind === 'unchanged') return { cursor: list.cursor, done: true }

    const elements = jsonElements(list.body, 'vulnerabilities')
    const records: VulnRecord[] = []
    const skipped: Skip[] = []
    let element = await elements.next()
    for (; !element.done; element = await elements.next()) {
      const one = readRecord(element.value, (json) => json, KevEntry, fromKev)
      if ('record' in one) records.push(one.record)
      else skipped.push(one.skip)
    }
    const { count } = Catalogue.parse(element.value)
    if (count !== records.length + skipped.length)
      throw new SourceError(`The catalogue says ${count} entries and holds ${records.length + skipped.length}`)
    const end = await commitWhole(run, 'kev', { origin, version: list.version, records, skipped }, cursor)
    const [newest] = records
      .flatMap(({ kev: marks }) => marks?.added ?? [])
      .toSorted()
      .toReversed()
    return { ...end, newest: newest && `${newest}T00:00:00Z` }
  },
})
