import * as z from 'zod'
import { plusSeconds } from '../../db/time'
import type { Env } from '../../env'
import { elementChunks } from '../source/chunk'
import { addressIn, defineFeed, type StepEnd, type StepRun } from '../source/feed'
import { openSource, readVersion } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import { jsonElements } from '../read/json-elements'
import { fromNvd, NvdCve } from './record'
import { readRecord } from '../source/read-records'
import { repairHoles } from '../source/repair'
import { noteYear } from '../source/year-counts'

const firstYear = 2002
/** The file of 2002 holds the ids of the years before, too. */
const firstIdYear = 1999
/** Keeps a step within 10 s of CPU, however large its year is. */
const stepRecords = 24_000
const pageSize = 2_000
const windowDays = 120
const daySeconds = 86_400
/** NVD publishes changes with some delay, and yearly files are a day old: once an hour we look back far, else a little. */
const overlapSeconds = 2 * 3_600
const shortOverlapSeconds = 15 * 60
const farLookSeconds = 3_600
const maxRestarts = 3
/** With the page of a run this stays below NVD's limit of 5 requests in 30 seconds. */
const repairsPerRun = 3
const nvdRecords = { feed_id: 'nvd', source: 'nvd' } as const
const maxBytes = 2_000_000_000

const Envelope = z.object({ totalResults: z.int(), timestamp: z.string().optional() })

/** First the yearly files, then windows of later modifications. A cursor is valid for its origin only. */
const NvdCursor = z.discriminatedUnion('phase', [
  z.object({
    phase: z.literal('files'),
    origin: z.string(),
    year: z.int(),
    /** How many records of the year are stored, and in which version of the file we counted them. */
    done: z.int(),
    version: z.string(),
    /** When the oldest of the files was written. */
    since: z.string(),
  }),
  z.object({
    phase: z.literal('window'),
    origin: z.string(),
    from: z.string(),
    to: z.string(),
    start: z.int(),
    total: z.int().nullable(),
    restarts: z.int(),
    is_backfill: z.boolean(),
    swept: z.string().default(''),
  }),
  /** `swept`: up to which time we last looked back far. */
  z.object({ phase: z.literal('current'), origin: z.string(), through: z.string(), swept: z.string().default('') }),
])
type NvdCursor = z.output<typeof NvdCursor>
type FilesCursor = Extract<NvdCursor, { phase: 'files' }>
type CurrentCursor = Extract<NvdCursor, { phase: 'current' }>
type WindowCursor = Extract<NvdCursor, { phase: 'window' }>

export const nvd = defineFeed({
  id: 'nvd',
  name: 'NVD',
  every_minutes: 5,
  quiet_days: 3,
  origin: 'https://nvd.nist.gov/feeds/json/cve/2.0',
  topics: ['cves', 'cpes'],
  reading: 1,
  cursor: NvdCursor,
  async step(run, cursor) {
    const origin = `${run.origin} ${apiAddress(run.env)}`
    const since = run.now.toISOString()
    const first: FilesCursor = { phase: 'files', origin, year: firstYear, done: 0, version: '', since }
    const from = cursor?.origin === origin ? cursor : first
    if (from.phase === 'files') return readFile(run, from)
    if (from.phase === 'window') return readPage(run, from)
    return readPage(run, nextWindow(run.now, from))
  },
})

/** From shortly before the last window, or, when it is time, from long before the last far look. */
function nextWindow(now: Date, { origin, through, swept }: CurrentCursor): WindowCursor {
  const isFar = !swept || Date.parse(swept) <= plusSeconds(now, -farLookSeconds).getTime()
  const from = isFar && swept ? plusSeconds(new Date(swept), -overlapSeconds) : new Date(through)
  return { ...windowFrom(now, origin, from, false), swept: isFar ? '' : swept }
}

function windowFrom(now: Date, origin: string, from: Date, is_backfill: boolean): WindowCursor {
  const last = plusSeconds(from, windowDays * daySeconds)
  const to = last < now ? last : now
  const unread = { start: 0, total: null, restarts: 0, swept: '' }
  return { phase: 'window', origin, from: from.toISOString(), to: to.toISOString(), is_backfill, ...unread }
}

async function readFile(run: StepRun<NvdCursor>, cursor: FilesCursor): Promise<StepEnd<NvdCursor>> {
  const { year } = cursor
  if (year > run.now.getUTCFullYear()) {
    const since = plusSeconds(new Date(cursor.since), -overlapSeconds)
    return { cursor: windowFrom(run.now, cursor.origin, since, true), done: false }
  }
  const url = `${run.origin}/nvdcve-2.0-${year}.json.gz`
  const source = await openSource(url, { max_bytes: maxBytes })
  const next = { ...cursor, year: year + 1, done: 0, version: '' }
  if (!source) {
    // The file of a new year appears some days into it.
    if (year === run.now.getUTCFullYear()) return { cursor: next, done: false }
    throw new SourceError(`No such file: ${url}`)
  }

  const version = readVersion(source.headers)
  const from = version === cursor.version ? cursor.done : 0
  for await (const { at, envelope, ...chunk } of elementChunks(source.body, 'vulnerabilities', {
    from,
    read: readOne,
  })) {
    if (envelope !== undefined) {
      const { timestamp, totalResults } = Envelope.parse(envelope)
      const since = timestamp && timestamp < cursor.since ? `${timestamp.slice(0, 19)}Z` : cursor.since
      const end = { ...next, since }
      await run.commit('nvd', { ...chunk, is_backfill: true }, end)
      const total = { from: year === firstYear ? firstIdYear : year, total: totalResults }
      const note = noteYear(run.db, { ...nvdRecords, year, now: run.now }, total)
      await run.write({ more: totalResults ? [note] : [] }, end)
      return { cursor: end, done: false }
    }
    const here = { ...cursor, done: at, version }
    await run.commit('nvd', { ...chunk, is_backfill: true }, here)
    if (at - from >= stepRecords) return { cursor: here, done: false }
  }
  throw new SourceError(`${url} has no end`)
}

async function readPage(run: StepRun<NvdCursor>, cursor: WindowCursor): Promise<StepEnd<NvdCursor>> {
  const { from, to, start, is_backfill } = cursor
  const window = {
    startIndex: String(start),
    resultsPerPage: String(pageSize),
    lastModStartDate: from,
    lastModEndDate: to,
  }
  const { source, url } = await askApi(run.env, window)
  if (!source) throw new SourceError(`No such page: ${url}`)

  for await (const { at, envelope, ...chunk } of elementChunks(source.body, 'vulnerabilities', {
    from: 0,
    read: readOne,
  })) {
    // Only the end of the page moves the cursor; chunks before it leave it where it was.
    if (envelope === undefined) {
      await run.commit('nvd', { ...chunk, is_backfill }, cursor)
      continue
    }
    const { totalResults } = Envelope.parse(envelope)
    run.setTotal(totalResults)
    const end = afterPage(run.now, cursor, at, totalResults)
    await run.commit('nvd', { ...chunk, is_backfill }, end)
    const isDone = end.phase === 'current'
    if (isDone) await repairHoles(run, { ...nvdRecords, fetch: (id) => fetchCve(run.env, id) }, repairsPerRun, end)
    return { cursor: end, done: isDone, wait_s: pause(run.env) }
  }
  throw new SourceError(`${url} has no end`)
}

/** The cursor after a page of `read` records: the next page, the next window, or up to date. */
function afterPage(now: Date, cursor: WindowCursor, read: number, total: number): NvdCursor {
  const { origin, start, to, is_backfill, restarts } = cursor
  // Records that left the window while it was read have shifted the pages: read it again.
  const hasShifted = cursor.total !== null && cursor.total !== total
  if (hasShifted && restarts < maxRestarts) return { ...cursor, start: 0, total: null, restarts: restarts + 1 }
  if (read === 0 && start < total) throw new SourceError(`NVD sent an empty page at ${start} of ${total}`)
  if (start + read < total) return { ...cursor, start: start + read, total }
  const through = new Date(to)
  if (now.getTime() - through.getTime() > daySeconds * 1000) return windowFrom(now, origin, through, is_backfill)
  const from = plusSeconds(through, -shortOverlapSeconds).toISOString()
  return { phase: 'current', origin, through: from, swept: cursor.swept || to }
}

const apiAddress = (env: Env) => addressIn(env, 'NVD_API_URL', 'https://services.nvd.nist.gov/rest/json/cves/2.0')

async function askApi(env: Env, query: Record<string, string>) {
  const url = `${apiAddress(env)}?${new URLSearchParams(query)}`
  const headers: Record<string, string> = env.NVD_API_KEY ? { apiKey: env.NVD_API_KEY } : {}
  return { source: await openSource(url, { max_bytes: maxBytes, headers }), url }
}

// NVD allows 5 requests in 30 seconds, or 50 with a key.
const pause = ({ NVD_PAUSE_SECONDS, NVD_API_KEY }: Env) => Number(NVD_PAUSE_SECONDS ?? (NVD_API_KEY ? 1 : 6))

const envelope = (json: unknown) => (json as { cve?: unknown } | null)?.cve
const readOne = (text: string) => readRecord(text, NvdCve, fromNvd, { envelope })

async function fetchCve(env: Env, cveId: string) {
  const { source } = await askApi(env, { cveId })
  if (!source) return null
  const elements = jsonElements(source.body, 'vulnerabilities')
  const first = await elements.next()
  await elements.return(undefined)
  return first.done ? null : readOne(first.value)
}
