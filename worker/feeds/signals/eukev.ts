import { jsonItems } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { defineFeed } from '../source/feed'
import { keepFirst, readEach, readRecord } from '../source/read-records'
import { commitWhole, watchList, wholeListFeed } from '../source/whole-list'
import { EuKevEntry, fromEuKev } from './eukev-record'

export const eukev = defineFeed({
  id: 'eukev',
  name: 'EU KEV',
  every_minutes: 2,
  quiet_days: 30,
  origin: 'https://raw.githubusercontent.com/enisaeu/CNW/main/eukev/eukev.json',
  topics: ['vias'],
  watch: watchList,
  ...wholeListFeed(20_000_000, async (run, { version, body }, cursor) => {
    const { records, skipped } = await readEach(jsonItems(body), (text) => readRecord(text, EuKevEntry, fromEuKev))
    if (!records.length) throw new SourceError('The list holds no entries')
    return commitWhole(run, 'eukev', { version, records: keepFirst(records), skipped }, cursor)
  }),
})
