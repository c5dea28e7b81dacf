import * as z from 'zod'
import type { Env } from '../../env'
import type { Source, VulnRecord } from '../../domain/words/record'
import { defineFeed, type StepEnd, type StepRun } from '../source/feed'
import { plusSeconds } from '../../db/time'
import { fetchText } from '../read/fetch-source'
import { inLanes, type Enlarge } from '../read/lanes'
import { SourceError } from '../read/source-error'
import { findMoved } from '../../merge/moved-records'
import { AllList, findNewestChange, findNewsPlaces, findUnread, lateFrom } from './modified-list'
import { newestSince, overlapFrom, pickAfter, readModifiedList, toTimes } from './modified-list'
import type { ModifiedRecord } from './modified-list'
import { fromOsv, OsvAdvisory } from './record'
import { brokenJson, newSkip, readRecord } from '../source/read-records'
import { openRemoteZip, zipStart } from '../read/remote-zip'
import { zipChunks, type RecordChunk, type RecordRead } from '../source/chunk'

/** Keeps a step within 10 s of CPU. */
const stepRecords = 16_000
/** The most single records of a step: each needs its own request. */
const stepRequests = 300
/** With more changes than this we read the archive again. */
const maxModified = 4_000
const maxBytes = 8_000_000
const notThere = 'listed, and not there'
/** Another try may bring it whole; so long it is asked for again. */
const missingSeconds = 86_400
const passing = [notThere, brokenJson]

const ReadList = z.object({
  version: z.string(),
  recent: z.record(z.string(), z.string()),
  /** Records that were not there or broke off, by when they were first asked for. */
  missing: z.record(z.string(), z.string()).default({}),
  /** Records that were listed long after their times, and asked for. */
  late: z.record(z.string(), z.string()).default({}),
})
const unreadList: z.output<typeof ReadList> = { version: '', recent: {}, missing: {}, late: {} }

const OsvCursor = z.object({
  origin: z.string(),
  /** By ecosystem: all changes before this time are stored. */
  through: z.record(z.string(), z.string()),
  /** By ecosystem: the list of changes that was read to its end, and the records that were read shortly before `through`, by their times. */
  lists: z.record(z.string(), ReadList).default({}),
  all: AllList.nullable().default(null),
  /** The ecosystems that this run asks for their lists of changes; null for all of them. */
  asks: z.array(z.string()).nullable().default(null),
  /** The index of the next ecosystem in this run. */
  at: z.int(),
  /** Up to which time this run has stored its changes. */
  after: z.string().nullable(),
  reading: z
    .object({
      version: z.string(),
      place: z.object({ entries: z.int(), byte: z.int() }),
      through: z.string(),
      is_backfill: z.boolean(),
    })
    .nullable(),
})
type OsvCursor = z.output<typeof OsvCursor>

type Selection = {
  id: string
  name: string
  every_minutes: number
  quiet_days: number
  /** Separated by commas, unless the variable names others. */
  ecosystems: string
  variable: 'OSV_ECOSYSTEMS' | 'MALICIOUS_ECOSYSTEMS'
  reading: number
  /** Whether the feed reads a record of the bucket, by its id. */
  isWanted(env: Env, id: string): boolean
  /** Sources of the records; the first is that of the feed, which counts its reads. */
  sources: [own: Source, ...others: Source[]]
  findSource(record: Pick<VulnRecord, 'ref'>): Source
}

/** A feed of what OSV keeps: the archive of each ecosystem at first, then what its list of changes names. */
export const defineBucketFeed = ({ id, name, every_minutes, quiet_days, ...selection }: Selection) =>
  defineFeed({
    id,
    name,
    every_minutes,
    quiet_days,
    origin: 'https://osv-vulnerabilities.storage.googleapis.com',
    reading: selection.reading,
    cursor: OsvCursor,
    async step(run, cursor) {
      const { origin } = run
      const first = OsvCursor.parse({ origin, through: {}, at: 0, after: null, reading: null })
      const ecosystems = (run.env[selection.variable] ?? selection.ecosystems).split(',').map((one) => one.trim())
      let here = await begin(run, cursor?.origin === origin ? cursor : first, ecosystems, selection)
      for (;;) {
        const ecosystem = ecosystems[here.at]
        if (!ecosystem) return { cursor: { ...here, at: 0, after: null }, done: true, newest: findNewest(here) }
        const place = { ecosystem, folder: `${origin}/${encodeURIComponent(ecosystem)}`, selection }
        const through = here.through[ecosystem]
        if (through === undefined) return readArchive(run, here, place)
        const end = isAsked(here, ecosystem) ? await readNews(run, here, { ...place, through }) : 'unchanged'
        if (end !== 'unchanged') return end
        here = { ...here, at: here.at + 1, after: null }
      }
    },
  })

/** A run begins with the list of all ecosystems. */
async function begin(
  run: StepRun<OsvCursor>,
  cursor: OsvCursor,
  ecosystems: string[],
  { isWanted }: Place['selection'],
): Promise<OsvCursor> {
  if (cursor.at > 0 || cursor.after || cursor.reading) return cursor
  const isNews = ({ ecosystem, id, modified }: ModifiedRecord) =>
    ecosystems.includes(ecosystem) && isWanted(run.env, id) && cursor.lists[ecosystem]?.recent[id] !== modified
  const { places, all } = await findNewsPlaces(cursor.all, { origin: run.origin, now: run.now, isNews })
  return { ...cursor, all, asks: places }
}

/** A list that was not read to its end is asked for, whatever the list of all says. */
const isAsked = ({ asks, lists }: OsvCursor, ecosystem: string) =>
  asks === null || asks.includes(ecosystem) || !lists[ecosystem]?.version

const findNewest = ({ through }: OsvCursor) => Object.values(through).toSorted().at(-1)

type Place = {
  ecosystem: string
  folder: string
  selection: Omit<Selection, 'id' | 'name' | 'every_minutes' | 'quiet_days'>
}

function ended(cursor: OsvCursor, ecosystem: string, through: string): OsvCursor {
  const list = cursor.lists[ecosystem] ?? unreadList
  const recent = pickAfter(list.recent, overlapFrom(through))
  return {
    ...cursor,
    through: { ...cursor.through, [ecosystem]: through },
    lists: { ...cursor.lists, [ecosystem]: { ...list, recent } },
    at: cursor.at + 1,
    after: null,
    reading: null,
  }
}

async function readArchive(run: StepRun<OsvCursor>, cursor: OsvCursor, { ecosystem, folder, selection }: Place) {
  const zip = await openRemoteZip(`${folder}/all.zip`)
  if (!zip) throw new SourceError(`OSV has no ecosystem ${ecosystem}`)
  const isSame = cursor.reading?.version === zip.version
  const reading =
    isSame && cursor.reading
      ? cursor.reading
      : {
          version: zip.version,
          place: zipStart,
          through: (await findNewestChange(folder, run.now)) ?? overlapFrom(run.now.toISOString()),
          is_backfill: cursor.reading?.is_backfill ?? true,
        }
  let [read, here] = [0, cursor]
  const isWanted = (name: string) => name.endsWith('.json') && selection.isWanted(run.env, parseId(name))
  for await (const { place, ...chunk } of zipChunks(zip, reading.place, { isWanted, read: readOne })) {
    const before = here
    here = { ...cursor, reading: { ...reading, place } }
    await commit(run, chunk, { selection, is_backfill: reading.is_backfill, before, cursor: here })
    read += chunk.read
    if (read >= stepRecords) return { cursor: here, done: false }
  }
  return { cursor: ended(cursor, ecosystem, reading.through), done: false }
}

async function readNews(
  run: StepRun<OsvCursor>,
  cursor: OsvCursor,
  { ecosystem, folder, selection, through }: Place & { through: string },
): Promise<StepEnd<OsvCursor> | 'unchanged'> {
  // As it was written before times ahead were passed over.
  if (through > plusSeconds(run.now, 86_400).toISOString())
    return { cursor: withoutReading(cursor, ecosystem), done: false }
  const since = cursor.after ?? overlapFrom(through)
  const { version, recent, missing, late } = cursor.lists[ecosystem] ?? unreadList
  const reading = cursor.after ? { since, version: '' } : { since, version, older_since: lateFrom(through) }
  const list = await readModifiedList(folder, { ...reading, max: maxModified })
  if (list === 'unchanged') return list
  if (list === 'missing') throw new SourceError(`No such file: ${folder}/modified_id.csv`)
  if (list === 'too many') return { cursor: withoutReading(cursor, ecosystem), done: false }

  const [batch, later] = split(list.changed, stepRequests)
  const newest = batch.at(-1)?.modified ?? since
  const wanted = batch.filter(({ id, modified }) => selection.isWanted(run.env, id) && recent[id] !== modified)
  const again = Object.keys(missing).slice(0, Math.max(0, stepRequests - wanted.length))
  const isUnasked = ({ id, modified }: ModifiedRecord) =>
    selection.isWanted(run.env, id) && late[id] !== modified && missing[id] === undefined
  const unread = await findUnread(run.db, list.older.filter(isUnasked), selection.findSource)
  const belated = unread.slice(0, Math.max(0, stepRequests - wanted.length - again.length))
  const ids = new Set([...wanted.map(({ id }) => id), ...again, ...belated.map(({ id }) => id)])
  const chunk = await readSingles(folder, [...ids])
  const absent = new Set(
    chunk.skipped.filter(({ reason }) => passing.includes(reason)).map(({ record_id }) => record_id),
  )
  const known = { ...recent, ...toTimes(wanted.filter(({ id }) => !absent.has(id))) }
  // A record that is listed before it is there, or broke off, is asked for again.
  const now = run.now.toISOString()
  const waiting = [...Object.keys(missing).filter((id) => !ids.has(id)), ...absent]
  const left = pickAfter(
    Object.fromEntries(waiting.map((id) => [id, missing[id] ?? now])),
    plusSeconds(run.now, -missingSeconds).toISOString(),
  )
  const isWhole = !later.length && !cursor.after && !Object.keys(left).length && belated.length === unread.length
  const here = {
    ...cursor,
    lists: {
      ...cursor.lists,
      [ecosystem]: {
        version: isWhole ? list.version : '',
        recent: known,
        missing: left,
        late: pickAfter({ ...late, ...toTimes(belated) }, lateFrom(through)),
      },
    },
  }
  const read = newestSince(batch, run.now) ?? through
  const end = later.length ? { ...here, after: newest } : ended(here, ecosystem, read > through ? read : through)
  await commit(run, chunk, { selection, is_backfill: false, before: cursor, cursor: end })
  return { cursor: end, done: false }
}

// Records of the same time stay together, because the next step begins after that time.
function split(changed: ModifiedRecord[], count: number) {
  let at = Math.min(count, changed.length)
  while (at < changed.length && changed[at]?.modified === changed[at - 1]?.modified) at++
  return [changed.slice(0, at), changed.slice(at)] as const
}

// Too many changes: we read the archive again. Its records are still news.
function withoutReading(cursor: OsvCursor, ecosystem: string): OsvCursor {
  const { [ecosystem]: _, ...through } = cursor.through
  return { ...cursor, through, after: null, reading: { version: '', place: zipStart, through: '', is_backfill: false } }
}

const parseId = (name: string) => name.slice(name.lastIndexOf('/') + 1, -'.json'.length)

type How = Pick<Place, 'selection'> & { is_backfill: boolean; before: OsvCursor; cursor: OsvCursor }

/** Writes the chunk in parts, one a source; the last one moves the cursor behind it. */
async function commit(
  run: StepRun<OsvCursor>,
  { records, skipped, read }: RecordChunk,
  { selection, is_backfill, before, cursor }: How,
) {
  const [own, ...others] = selection.sources
  const selectRecords = (source: Source) => records.filter((one) => selection.findSource(one) === source)
  for (const source of others) {
    const listed = selectRecords(source)
    if (!listed.length) continue
    const withdrawn = await findMoved(run.db, source, listed)
    await run.commit(source, { records: listed, withdrawn, read: 0, is_backfill }, before)
  }
  const withdrawn = await findMoved(run.db, own, selectRecords(own))
  await run.commit(own, { records: selectRecords(own), withdrawn, skipped, read, is_backfill }, cursor)
}

async function readSingles(folder: string, ids: string[]): Promise<RecordChunk> {
  const read = await inLanes(ids, (id, enlarge) => readSingle(`${folder}/${encodeURIComponent(id)}.json`, id, enlarge))
  return {
    records: read.flatMap((one) => ('record' in one ? one.record : [])),
    skipped: read.flatMap((one) => ('skip' in one ? [one.skip] : [])),
    read: ids.length,
  }
}

async function readSingle(url: string, id: string, enlarge: Enlarge): Promise<RecordRead> {
  const text = await fetchText(url, { max_bytes: maxBytes, enlarge })
  if (text === null) return { skip: newSkip(id, notThere) }
  return readOne(`${id}.json`, text)
}

const readOne = (name: string, text: string) => readRecord(text, OsvAdvisory, fromOsv, { id: parseId(name) })
