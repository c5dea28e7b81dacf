import * as z from 'zod'
import type { Env } from '../../env'
import { defineFeed, type StepEnd, type StepRun } from '../source/feed'
import { githubHeaders } from '../source/github'
import { openSource, readVersion, type Opened } from '../read/fetch-source'
import { BrokenJson, jsonItems } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { fromGhsa, GhsaAdvisory } from './ghsa-record'
import { findMoved } from '../../merge/moved-records'
import { jsonIn, readEach, readRecord } from '../source/read-records'

const pageSize = 100
const stepPages = 5
const maxBytes = 50_000_000

const GhsaCursor = z.object({
  origin: z.string(),
  /** The update time of the newest stored advisory; empty before the first page. */
  since: z.string(),
  /** The next page of the list, if one is being read. */
  next: z.string().nullable(),
  has_all: z.boolean(),
  /** Of the page that asks for what was updated since; empty while it has not been read. */
  version: z.string().default(''),
})
type GhsaCursor = z.output<typeof GhsaCursor>

export const ghsa = defineFeed({
  id: 'ghsa',
  name: 'GitHub advisories',
  label: 'GitHub',
  every_minutes: 5,
  quiet_days: 4,
  origin: 'https://api.github.com/advisories',
  reading: 1,
  cursor: GhsaCursor,
  watch: (cursor, { env, origin }) =>
    cursor.origin !== origin || cursor.next !== null
      ? null
      : [{ url: firstPage(cursor), version: cursor.version, headers: toHeaders(env) }],
  async step(run, cursor) {
    const { origin } = run
    let here = cursor?.origin === origin ? cursor : { origin, since: '', next: null, has_all: false, version: '' }
    for (let page = 0; page < stepPages; page++) {
      const end = await readPage(run, here)
      if (end.done || end.wait_s) return end
      here = end.cursor
    }
    return { cursor: here, done: false }
  },
})

async function readPage(run: StepRun<GhsaCursor>, cursor: GhsaCursor): Promise<StepEnd<GhsaCursor>> {
  const url = cursor.next ?? firstPage(cursor)
  const source = await openSource(url, { max_bytes: maxBytes, headers: toHeaders(run.env) })
  if (!source) throw new SourceError(`No such page: ${url}`)
  const { records, skipped, newest } = await readAdvisories(source.body)

  const next = parseNextPage(source, cursor.origin)
  const since = newest > cursor.since ? newest : cursor.since
  // The next question has another address if something newer came.
  const isSettled = !next && cursor.next === null && since === cursor.since
  const here = {
    ...cursor,
    since: next ? cursor.since : since,
    next,
    has_all: cursor.has_all || !next,
    version: isSettled ? readVersion(source.headers) : '',
  }
  const withdrawn = await findMoved(run.db, 'ghsa', records)
  const read = records.length + skipped.length
  await run.commit('ghsa', { records, withdrawn, skipped, read, is_backfill: !cursor.has_all }, here)
  return { cursor: here, done: !next, newest: since, wait_s: next ? untilReset(source.headers, run.now) : 0 }
}

function firstPage({ origin, since }: GhsaCursor) {
  const url = new URL(origin)
  const query = { type: 'reviewed', sort: 'updated', direction: 'asc', per_page: String(pageSize) }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  if (since) url.searchParams.set('updated', `>=${since}`)
  return url.href
}

const toHeaders = (env: Env) => ({
  ...githubHeaders(env, 'application/vnd.github+json'),
  'x-github-api-version': '2022-11-28',
})

const Dated = z.object({ ghsa_id: z.string().catch('an advisory'), updated_at: z.string().catch('') })
const undated = { ghsa_id: 'an advisory', updated_at: '' }

async function readAdvisories(body: ReadableStream<Uint8Array>) {
  let newest = ''
  const readOne = (text: string) => {
    const { ghsa_id: id, updated_at } = Dated.safeParse(jsonIn(text)).data ?? undated
    if (updated_at > newest) newest = updated_at
    return readRecord(text, GhsaAdvisory, fromGhsa, { id })
  }
  try {
    const { records, skipped } = await readEach(jsonItems(body), readOne)
    return { records: records.flat(), skipped, newest }
  } catch (error) {
    if (error instanceof BrokenJson) throw new SourceError('GitHub sent something other than a list of advisories')
    throw error
  }
}

// The token must not go to another origin.
function parseNextPage({ headers }: Opened, origin: string) {
  const next = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (!next) return null
  if (new URL(next).origin !== new URL(origin).origin) throw new SourceError(`The next page is elsewhere: ${next}`)
  return next
}

/** Seconds until GitHub answers again; 0 while it allows further requests. */
function untilReset(headers: Headers, now: Date) {
  if (headers.get('x-ratelimit-remaining') !== '0') return 0
  const reset = Number(headers.get('x-ratelimit-reset'))
  return Math.min(Math.max(Math.ceil(reset - now.getTime() / 1000), 1), 3_600)
}
