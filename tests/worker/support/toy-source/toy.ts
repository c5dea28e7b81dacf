import * as z from 'zod'
import { defineFeed } from '../../../../worker/feeds/source/feed'
import { readEach, readRecord } from '../../../../worker/feeds/source/read-records'
import { commitWhole, wholeListFeed } from '../../../../worker/feeds/source/whole-list'
import { lines } from '../../../../worker/feeds/read/lines'
import type { VulnRecord } from '../../../../worker/domain/words/record'

const ToyEntry = z.object({ cve: z.string(), text: z.string(), vendor: z.string(), product: z.string() })

/** A new source as its author would write it: nothing outside this folder knows it but the registry. */
export const toy = defineFeed({
  id: 'toy',
  name: 'Toy list of the tests',
  label: 'Toy list',
  every_minutes: 60,
  quiet_days: 7,
  origin: 'https://toy.example/list.jsonl',
  topics: ['cves'],
  ...wholeListFeed(1_000_000, async (run, { version, body }, cursor) => {
    const { records, skipped } = await readEach(lines(body), (line) => readRecord(line, ToyEntry, toRecord))
    return commitWhole(run, 'toy', { version, records, skipped }, cursor)
  }),
})

const toRecord = ({ cve, text, vendor, product }: z.output<typeof ToyEntry>): VulnRecord => ({
  cveid: cve,
  state: 'published',
  summary: text,
  affected: [{ vendor, product, ranges: [] }],
})
