import * as z from 'zod'
import type { Env } from '../../env'
import { openSource } from '../read/fetch-source'
import { jsonElements } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { defineFeed } from '../source/feed'
import { keepFirst, readEach, readRecord } from '../source/read-records'
import { commitWhole, WholeCursor } from '../source/whole-list'
import { fromVulnCheck, VulnCheckEntry } from './vulncheck-record'
import { lenient } from '../source/fields'

const maxBytes = 50_000_000
const pageSize = 300
const maxPages = 100
const maxEntries = 30_000

/**
 * Pages are asked for by `start_cursor=true`, then by the `cursor` that each names, as VulnCheck's SDK shows
 * (github.com/vulncheck-oss/sdk-go-v2, tests/examples/pagination.go; `paginate.Pagination` in its openapi.json).
 */
const Envelope = z.object({
  _meta: z.object({
    next_cursor: lenient(z.string().max(2_000)),
    total_documents: lenient(z.int()),
  }),
})

export const vulncheck = defineFeed({
  id: 'vulncheck',
  name: 'VulnCheck KEV',
  label: 'VulnCheck',
  every_minutes: 60,
  quiet_days: 14,
  origin: 'https://api.vulncheck.com/v3/index/vulncheck-kev',
  key: 'VULNCHECK_KEY',
  topics: ['vias'],
  cursor: WholeCursor,
  async step(run, cursor) {
    const entries = readEntries(run.origin, toHeaders(run.env))
    const { records, skipped } = await readEach(entries, (text) => readRecord(text, VulnCheckEntry, fromVulnCheck))
    if (!records.length) throw new SourceError('The list holds no entries')
    return commitWhole(run, 'vulncheck', { version: '', records: keepFirst(records.flat()), skipped }, cursor)
  },
})

/** The text of each entry. An end before the announced number is an error: nothing is withdrawn for it. */
async function* readEntries(origin: string, headers: Record<string, string>) {
  let read = 0
  for (let page = 0, next = ''; page < maxPages; page++) {
    const source = await openSource(pageAddress(origin, next), { max_bytes: maxBytes, headers })
    if (!source) throw new SourceError(`No such list: ${origin}`)
    const before = read
    const entries = jsonElements(source.body, 'data')
    let entry = await entries.next()
    for (; !entry.done; entry = await entries.next(), read++) yield entry.value
    const { _meta: { next_cursor = '', total_documents = 0 } = {} } = Envelope.safeParse(entry.value).data ?? {}
    const isLast = !next_cursor || read === before
    if (total_documents ? read >= total_documents : isLast) return
    if (isLast || read > maxEntries) throw new SourceError(`The list ended after ${read} of ${total_documents} entries`)
    next = next_cursor
  }
  throw new SourceError(`The list has more than ${maxPages} pages`)
}

function pageAddress(origin: string, next: string) {
  const url = new URL(origin)
  url.searchParams.set('limit', String(pageSize))
  url.searchParams.set(next ? 'cursor' : 'start_cursor', next || 'true')
  return url.href
}

/** A key that no header takes is refused here: the error of the request would repeat it. */
function toHeaders({ VULNCHECK_KEY = '' }: Env): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(VULNCHECK_KEY)) throw new SourceError('VULNCHECK_KEY holds blanks or strange letters')
  return { accept: 'application/json', authorization: `Bearer ${VULNCHECK_KEY}` }
}
