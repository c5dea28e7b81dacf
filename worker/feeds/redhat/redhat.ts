import * as z from 'zod'
import { plusSeconds } from '../../db/time'
import { cveIdPattern } from '../../domain/names/cve'
import type { Env } from '../../env'
import { defineFeed } from '../source/feed'
import type { StepEnd, StepRun } from '../source/feed'
import type { Skip } from '../source/skip'
import { fetchText } from '../read/fetch-source'
import { inLanes } from '../read/lanes'
import type { Enlarge } from '../read/lanes'
import { SourceError } from '../read/source-error'
import { readRecord } from '../source/read-records'
import { fromRedhat, RedhatCve } from './record'

const pageSize = 1_000
/** The most records of a step; each needs its own request. */
const stepRecords = 400
/** The pause between steps: Red Hat names no limit, and a few requests a second harm nobody. */
const pauseSeconds = 60
const recentDays = 60
const sweepDays = 7
const maxBytes = 8_000_000

const RedhatCursor = z.object({
  origin: z.string(),
  /** YYYY-MM-DD: this run reads CVEs that became public after it; empty reads all. */
  after: z.string(),
  page: z.int(),
  /** How many records of the page are done. */
  done: z.int(),
  /** When the last reading of all CVEs began, and whether it is complete. */
  swept_at: z.string(),
  has_swept: z.boolean(),
})
type RedhatCursor = z.output<typeof RedhatCursor>

const List = z.array(z.object({ CVE: z.string().regex(cveIdPattern) }).or(z.unknown().transform(() => null)))

/** The API sorts CVEs by the day they became public and does not tell changes: we read recent ones each time, and all of them every week. */
export const redhat = defineFeed({
  id: 'redhat',
  name: 'Red Hat',
  every_minutes: 360,
  origin: 'https://access.redhat.com/hydra/rest/securitydata',
  cursor: RedhatCursor,
  async step(run, cursor) {
    const { origin } = run
    return readPage(run, cursor?.origin === origin ? cursor : sweep(origin, run.now))
  },
})

const sweep = (origin: string, now: Date): RedhatCursor => ({
  origin,
  after: '',
  page: 1,
  done: 0,
  swept_at: now.toISOString(),
  has_swept: false,
})

async function readPage(run: StepRun<RedhatCursor>, cursor: RedhatCursor): Promise<StepEnd<RedhatCursor>> {
  const listed = await findListed(cursor)
  const ids = listed.slice(cursor.done, cursor.done + stepRecords)
  const isLast = listed.length < pageSize && cursor.done + ids.length >= listed.length
  const next = isLast ? planRun(cursor, run.now) : after(cursor, ids.length, listed.length)
  const { records, skipped } = await readRecords(cursor.origin, ids)
  const is_backfill = !cursor.has_swept && cursor.after === ''
  await run.commit('redhat', { records, skipped, read: ids.length, is_backfill }, next)
  return { cursor: next, done: isLast, wait_s: isLast ? 0 : pause(run.env) }
}

const after = (cursor: RedhatCursor, read: number, length: number): RedhatCursor =>
  cursor.done + read < length ? { ...cursor, done: cursor.done + read } : { ...cursor, page: cursor.page + 1, done: 0 }

function planRun(cursor: RedhatCursor, now: Date): RedhatCursor {
  const isDue = Date.parse(cursor.swept_at) < plusSeconds(now, -sweepDays * 86_400).getTime()
  if (isDue) return { ...sweep(cursor.origin, now), has_swept: true }
  const recent = plusSeconds(now, -recentDays * 86_400)
    .toISOString()
    .slice(0, 10)
  return { ...cursor, after: recent, page: 1, done: 0, has_swept: true }
}

async function findListed({ origin, after: day, page }: RedhatCursor) {
  const url = new URL(`${origin}/cve.json`)
  if (day) url.searchParams.set('after', day)
  url.searchParams.set('page', String(page))
  url.searchParams.set('per_page', String(pageSize))
  const text = await fetchText(url.href, { max_bytes: maxBytes })
  if (text === null) throw new SourceError(`No such list: ${url.href}`)
  const parsed = List.safeParse(parseJson(text))
  if (!parsed.success) throw new SourceError('Red Hat sent something other than a list of CVEs')
  return parsed.data.map((one) => one?.CVE ?? null)
}

async function readRecords(origin: string, ids: (string | null)[]) {
  const read = await inLanes(ids, (id, enlarge) => readOne(origin, id, enlarge))
  return {
    records: read.flatMap((one) => ('record' in one ? one.record : [])),
    skipped: read.flatMap((one): Skip[] => ('skip' in one ? [one.skip] : [])),
  }
}

async function readOne(origin: string, id: string | null, enlarge: Enlarge) {
  if (!id) return { skip: { record_id: 'a row of the list', reason: 'not a CVE id', body: '' } }
  const text = await fetchText(`${origin}/cve/${id}.json`, { max_bytes: maxBytes, enlarge })
  if (text === null) return { skip: { record_id: id, reason: 'listed, and not there', body: '' } }
  return readRecord(text, (json) => json, RedhatCve, fromRedhat)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const pause = ({ REDHAT_PAUSE_SECONDS }: Env) => Number(REDHAT_PAUSE_SECONDS ?? pauseSeconds)
