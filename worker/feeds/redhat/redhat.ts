import { createHash } from 'node:crypto'
import * as z from 'zod'
import { plusSeconds } from '../../db/time'
import { cveIdPattern } from '../../domain/names/cve'
import type { Env } from '../../env'
import { defineFeed, type StepEnd, type StepRun } from '../source/feed'
import { fetchText } from '../read/fetch-source'
import { inLanes, type Enlarge } from '../read/lanes'
import { SourceError } from '../read/source-error'
import { newSkip, jsonIn, readRecord, type Skip } from '../source/read-records'
import { fromRedhat, RedhatCve } from './record'

const pageSize = 1_000
/** The most records of a step; each needs its own request. */
const stepRecords = 400
/** Of the newest CVEs we read again only those whose row in the list changed. */
const newestDays = 3
const recentHours = 6
/** The pause between steps: Red Hat names no limit, and a few requests a second harm nobody. */
const pauseSeconds = 60
const recentDays = 60
const sweepDays = 7
const maxBytes = 8_000_000
const markLetters = 8

const RedhatCursor = z.object({
  origin: z.string(),
  /** YYYY-MM-DD: this run reads CVEs that became public after it; empty reads all. */
  after: z.string(),
  /** 0 before the run has chosen what to read. */
  page: z.int(),
  /** How many records of the page are done. */
  done: z.int(),
  /** When the last reading of all CVEs began, and whether it is complete. */
  swept_at: z.string(),
  has_swept: z.boolean(),
  /** When the recent ones were last read. */
  recent_at: z.string().default(''),
  /** The checksums of the newest rows of the list whose CVEs were read; null while a run reads whatever is listed. */
  newest: z.record(z.string(), z.string()).nullable().default(null),
})
type RedhatCursor = z.output<typeof RedhatCursor>

const List = z.array(z.looseObject({ CVE: z.string().regex(cveIdPattern) }).or(z.unknown().transform(() => null)))
type Row = { id: string | null; row: object | null }

/** The API sorts CVEs by the day they became public and does not tell changes: we look at the newest each time, and read recent ones every 6 hours, all every week. */
export const redhat = defineFeed({
  id: 'redhat',
  name: 'Red Hat',
  every_minutes: 10,
  quiet_days: 4,
  origin: 'https://access.redhat.com/hydra/rest/securitydata',
  reading: 1,
  cursor: RedhatCursor,
  async step(run, cursor) {
    const { origin } = run
    const here = cursor?.origin === origin ? cursor : sweep(origin, run.now)
    const chosen = here.page ? here : planReading(here, run.now)
    return chosen.newest ? readNewest(run, chosen, chosen.newest) : readPage(run, chosen)
  },
})

const sweep = (origin: string, now: Date): RedhatCursor => ({
  origin,
  after: '',
  page: 1,
  done: 0,
  swept_at: now.toISOString(),
  has_swept: false,
  recent_at: now.toISOString(),
  newest: null,
})

async function readPage(run: StepRun<RedhatCursor>, cursor: RedhatCursor): Promise<StepEnd<RedhatCursor>> {
  const listed = (await findListed(cursor)).map(({ id }) => id)
  const ids = listed.slice(cursor.done, cursor.done + stepRecords)
  const isLast = listed.length < pageSize && cursor.done + ids.length >= listed.length
  const next = isLast ? { ...cursor, has_swept: true, page: 0, done: 0 } : after(cursor, ids.length, listed.length)
  const { records, skipped } = await readRecords(cursor.origin, ids)
  const is_backfill = !cursor.has_swept && cursor.after === ''
  await run.commit('redhat', { records, skipped, read: ids.length, is_backfill }, next)
  return { cursor: next, done: isLast, wait_s: isLast ? 0 : pause(run.env) }
}

const after = (cursor: RedhatCursor, read: number, length: number): RedhatCursor =>
  cursor.done + read < length ? { ...cursor, done: cursor.done + read } : { ...cursor, page: cursor.page + 1, done: 0 }

function planReading(cursor: RedhatCursor, now: Date): RedhatCursor {
  const daysAgo = (days: number) => plusSeconds(now, -days * 86_400).toISOString()
  if (cursor.swept_at < daysAgo(sweepDays)) return { ...sweep(cursor.origin, now), has_swept: true }
  const begun = { ...cursor, page: 1, done: 0 }
  if (cursor.recent_at < daysAgo(recentHours / 24))
    return { ...begun, after: daysAgo(recentDays).slice(0, 10), recent_at: now.toISOString(), newest: null }
  return { ...begun, after: daysAgo(newestDays).slice(0, 10), newest: cursor.newest ?? {} }
}

/** One look at the list; news beyond one step comes with the next. */
async function readNewest(
  run: StepRun<RedhatCursor>,
  cursor: RedhatCursor,
  known: Record<string, string>,
): Promise<StepEnd<RedhatCursor>> {
  const listed = (await findListed(cursor)).map(({ id, row }) => ({ id, mark: row ? markRow(row) : '' }))
  const isKnown = ({ id, mark }: (typeof listed)[number]) => id === null || known[id] === mark
  const fresh = listed.filter((row) => !isKnown(row)).slice(0, stepRecords)
  const { records, skipped } = await readRecords(
    cursor.origin,
    fresh.map(({ id }) => id),
  )
  const kept = [...listed.filter(isKnown), ...fresh].flatMap(({ id, mark }) => (id ? [[id, mark]] : []))
  const next = { ...cursor, page: 0, newest: Object.fromEntries(kept) as Record<string, string> }
  if (fresh.length) await run.commit('redhat', { records, skipped, read: fresh.length, is_backfill: false }, next)
  return { cursor: next, done: true }
}

async function findListed({ origin, after: day, page }: RedhatCursor): Promise<Row[]> {
  const url = new URL(`${origin}/cve.json`)
  if (day) url.searchParams.set('after', day)
  url.searchParams.set('page', String(page))
  url.searchParams.set('per_page', String(pageSize))
  const text = await fetchText(url.href, { max_bytes: maxBytes })
  if (text === null) throw new SourceError(`No such list: ${url.href}`)
  const parsed = List.safeParse(jsonIn(text))
  if (!parsed.success) throw new SourceError('Red Hat sent something other than a list of CVEs')
  return parsed.data.map((row) => ({ id: row?.CVE ?? null, row }))
}

const markRow = (row: object) =>
  createHash('sha256').update(JSON.stringify(row)).digest('base64url').slice(0, markLetters)

async function readRecords(origin: string, ids: (string | null)[]) {
  const read = await inLanes(ids, (id, enlarge) => readOne(origin, id, enlarge))
  return {
    records: read.flatMap((one) => ('record' in one ? one.record : [])),
    skipped: read.flatMap((one): Skip[] => ('skip' in one ? [one.skip] : [])),
  }
}

async function readOne(origin: string, id: string | null, enlarge: Enlarge) {
  if (!id) return { skip: newSkip('a row of the list', 'not a CVE id') }
  const text = await fetchText(`${origin}/cve/${id}.json`, { max_bytes: maxBytes, enlarge })
  if (text === null) return { skip: newSkip(id, 'listed, and not there') }
  return readRecord(text, RedhatCve, fromRedhat)
}

const pause = ({ REDHAT_PAUSE_SECONDS }: Env) => Number(REDHAT_PAUSE_SECONDS ?? pauseSeconds)
