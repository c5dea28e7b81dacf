import type { VulnRecord } from '../../domain/words/record'
import { jsonItems } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { commitWhole, WholeCursor } from '../source/commit-whole'
import { defineFeed } from '../source/feed'
import { openList, watchList } from '../source/open-list'
import { readRecord } from '../source/read-records'
import type { Skip } from '../source/skip'
import { EuKevEntry, fromEuKev } from './eukev-record'

const maxBytes = 20_000_000

export const eukev = defineFeed({
  id: 'eukev',
  name: 'EU KEV',
  every_minutes: 2,
  quiet_days: 30,
  origin: 'https://raw.githubusercontent.com/enisaeu/CNW/main/eukev/eukev.json',
  topics: ['vias'],
  cursor: WholeCursor,
  watch: watchList,
  async step(run, cursor) {
    const { origin } = run
    const list = await openList(origin, cursor, maxBytes)
    if (list.kind === 'unchanged') return { cursor: list.cursor, done: true }
    // One that is listed twice counts as it is listed first.
    const records = new Map<string, VulnRecord>()
    const skipped: Skip[] = []
    for await (const text of jsonItems(list.body)) {
      const one = readRecord(text, (json) => json, EuKevEntry, fromEuKev)
      if ('skip' in one) skipped.push(one.skip)
      else if (!records.has(one.record.cveid)) records.set(one.record.cveid, one.record)
    }
    if (!records.size) throw new SourceError('The list holds no entries')
    return commitWhole(run, 'eukev', { origin, version: list.version, records: [...records.values()], skipped }, cursor)
  },
})
