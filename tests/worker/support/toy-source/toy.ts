import * as z from 'zod'
import { commitWhole, WholeCursor } from '../../../../worker/feeds/source/commit-whole'
import { defineFeed } from '../../../../worker/feeds/source/feed'
import { openList } from '../../../../worker/feeds/source/open-list'
import { readRecord } from '../../../../worker/feeds/source/read-records'
import { lines } from '../../../../worker/feeds/read/lines'
import type { Skip } from '../../../../worker/feeds/source/skip'
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
  cursor: WholeCursor,
  async step(run, cursor) {
    const list = await openList(run.origin, cursor, 1_000_000)
    if (list.kind === 'unchanged') return { cursor: list.cursor, done: true }

    const records: VulnRecord[] = []
    const skipped: Skip[] = []
    for await (const line of lines(list.body)) {
      if (!line) continue
      const entry = readRecord(line, (json) => json, ToyEntry, toRecord)
      if ('record' in entry) records.push(entry.record)
      else skipped.push(entry.skip)
    }
    return commitWhole(run, 'toy', { origin: run.origin, version: list.version, records, skipped }, cursor)
  },
})

const toRecord = ({ cve, text, vendor, product }: z.output<typeof ToyEntry>): VulnRecord => ({
  cveid: cve,
  state: 'published',
  summary: text,
  affected: [{ vendor, product, ranges: [] }],
})
