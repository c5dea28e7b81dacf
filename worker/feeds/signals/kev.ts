import * as z from 'zod'
import { jsonElements } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { defineFeed } from '../source/feed'
import { readEach, readRecord } from '../source/read-records'
import { commitWhole, watchList, wholeListFeed } from '../source/whole-list'
import { fromKev, KevEntry } from './kev-record'

const Catalogue = z.object({ count: z.int() })

export const kev = defineFeed({
  id: 'kev',
  name: 'CISA KEV',
  every_minutes: 2,
  quiet_days: 21,
  origin: 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  topics: ['vias'],
  watch: watchList,
  ...wholeListFeed(50_000_000, async (run, { version, body }, cursor) => {
    const elements = jsonElements(body, 'vulnerabilities')
    const { records, skipped, end } = await readEach(elements, (text) => readRecord(text, KevEntry, fromKev))
    const { count } = Catalogue.parse(end)
    if (count !== records.length + skipped.length)
      throw new SourceError(`The catalogue says ${count} entries and holds ${records.length + skipped.length}`)
    const written = await commitWhole(run, 'kev', { version, records, skipped }, cursor)
    const newest = records
      .flatMap(({ kev: marks }) => marks?.added ?? [])
      .toSorted()
      .at(-1)
    return { ...written, newest: newest && `${newest}T00:00:00Z` }
  }),
})
