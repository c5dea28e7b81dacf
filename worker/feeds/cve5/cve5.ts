import * as z from 'zod'
import { readBulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { cveIdPattern } from '../../domain/names/cve'
import { fromCve5 } from './record'
import { CveFile, findDeltas, findWholeList, watchReleases } from './releases'
import { Cve5 } from './schema'
import { addressIn, defineFeed, type StepEnd, type StepRun } from '../source/feed'
import { fetchText } from '../read/fetch-source'
import { markIn } from '../../merge/record-hashes'
import { SourceError } from '../read/source-error'
import { readRecord } from '../source/read-records'
import { openRemoteZip, zipMarks, zipNames, zipStart, type RemoteZip, type ZipPlace } from '../read/remote-zip'
import { repairHoles } from '../source/repair'
import { countYear, settleYears } from '../source/year-counts'
import { zipChunks } from '../source/chunk'

/** Keeps a step within 10 s of CPU. */
const stepRecords = 16_000
const repairsPerRun = 50
const maxRecordBytes = 8_000_000

const Place = z.object({ entries: z.int(), byte: z.int() })
const common = { origin: z.string(), is_backfill: z.boolean() }

/** First the whole list, file by file of its archive; then the changes since. */
const CveCursor = z.discriminatedUnion('phase', [
  z.object({ ...common, phase: z.literal('list'), file: CveFile, version: z.string(), place: Place }),
  /** `counted` is the last day whose whole list we compared with our records. */
  z.object({
    ...common,
    phase: z.literal('deltas'),
    files: z.array(CveFile),
    version: z.string(),
    place: Place,
    through: z.string(),
    counted: z.string(),
  }),
  z.object({ ...common, phase: z.literal('count'), file: CveFile, through: z.string() }),
  /** `version`: of the list of releases in which nothing is left to read. */
  z.object({
    ...common,
    phase: z.literal('current'),
    through: z.string(),
    counted: z.string(),
    version: z.string().default(''),
  }),
])
type CveCursor = z.output<typeof CveCursor>
type At<Phase extends CveCursor['phase']> = Extract<CveCursor, { phase: Phase }>
type Run = StepRun<CveCursor>

export const cve = defineFeed({
  id: 'cve',
  name: 'CVE list',
  every_minutes: 5,
  quiet_days: 1,
  origin: 'https://api.github.com/repos/CVEProject/cvelistV5/releases',
  topics: ['cves', 'cpes'],
  reading: 2,
  cursor: CveCursor,
  watch: (cursor, place) =>
    cursor.phase === 'current' && cursor.origin === place.origin ? [watchReleases(place, cursor.version)] : null,
  async step(run, cursor) {
    const { origin } = run
    if (cursor?.origin !== origin) return readList(run, await listFrom(run, { origin, is_backfill: true }))
    if (cursor.phase === 'list') return readList(run, cursor)
    if (cursor.phase === 'deltas') return readDelta(run, cursor)
    if (cursor.phase === 'count') return countList(run, cursor)
    return findNews(run, cursor)
  },
})

const listFrom = async (
  run: Run,
  { origin, is_backfill }: { origin: string; is_backfill: boolean },
): Promise<At<'list'>> => ({
  phase: 'list',
  origin,
  is_backfill,
  file: await findWholeList(run),
  version: '',
  place: zipStart,
})

async function readList(run: Run, cursor: At<'list'>): Promise<StepEnd<CveCursor>> {
  const { origin, file, is_backfill } = cursor
  const read = await readFile(run, { ...cursor, url: file.url }, (place, version) => ({ ...cursor, place, version }))
  // GitHub keeps releases for a while only: begin again with the newest.
  if (read === 'missing') return { cursor: await listFrom(run, cursor), done: false }
  if (read !== 'whole') return { cursor: read, done: false }
  const through = `${file.date}T00:00:00Z`
  return { cursor: { phase: 'count', origin, is_backfill, file, through }, done: false }
}

const current = ({ origin, is_backfill, through, counted }: Omit<At<'current'>, 'phase' | 'version'>): CveCursor => ({
  phase: 'current',
  origin,
  is_backfill,
  through,
  counted,
  version: '',
})

async function readDelta(run: Run, cursor: At<'deltas'>): Promise<StepEnd<CveCursor>> {
  const [file, ...others] = cursor.files
  if (!file) return { cursor: current(cursor), done: false }
  const read = await readFile(run, { ...cursor, url: file.url }, (place, version) => ({ ...cursor, place, version }))
  if (read !== 'whole' && read !== 'missing') return { cursor: read, done: false }
  const through = read === 'whole' ? file.at : cursor.through
  return { cursor: { ...cursor, files: others, version: '', place: zipStart, through }, done: false }
}

type Reading = Pick<At<'list'>, 'version' | 'place' | 'is_backfill'> & { phase: string; url: string }

/** Reads an archive for one step; answers the next cursor, or that the archive is finished or missing. */
async function readFile<Cursor extends CveCursor>(
  run: Run,
  { phase, url, version, place, is_backfill }: Reading,
  at: (place: ZipPlace, version: string) => Cursor,
): Promise<Cursor | 'whole' | 'missing'> {
  const zip = await openRemoteZip(url)
  if (!zip) return 'missing'
  if (zip.kind === 'ranges' && phase === 'list') run.setTotal(zip.directory.entries)
  // The whole list is always read completely. Deltas come every hour and repeat earlier changes of the day.
  const known = phase === 'deltas' && !run.isReread ? await findKnown(run.db, zip) : new Set<string>()
  const isKnown = (name: string) => known.has(parseId(name) ?? '')
  let records = 0
  const from = zip.version === version ? place : zipStart
  for await (const chunk of zipChunks(zip, from, { isWanted: isRecord, isKnown, read: readEntry })) {
    const { place: next, ...what } = chunk
    const here = at(next, zip.version)
    await run.commit('cve', { ...what, is_backfill }, here)
    records += what.records.length
    if (records >= stepRecords) return here
  }
  return 'whole'
}

/** The ids of an archive whose text has not changed since we read it. */
async function findKnown(db: Db, zip: RemoteZip) {
  const marks: [id: string, mark: string][] = []
  for await (const [name, mark] of zipMarks(zip)) {
    const id = parseId(name)
    if (id) marks.push([id, mark])
  }
  const found = await readBulk<{ cveid: string }>(
    db,
    `SELECT v.cveid FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
     JOIN vuln_records r ON r.vuln_id = v.id AND r.source = 'cve' AND ${markIn('r.hash')} = j.value->>1`,
    marks,
  )
  return new Set(found.map(({ cveid }) => cveid))
}

const parseId = (name: string) => /^(CVE-\d{4}-\d{4,19})\.json$/.exec(name.slice(name.lastIndexOf('/') + 1))?.[1]
const isRecord = (name: string) => parseId(name) !== undefined

const readEntry = (name: string, text: string, mark: string) =>
  readRecord(text, Cve5, (raw) => ({ ...fromCve5(raw), mark }), { id: parseId(name) })

/** Compares the ids of a whole list with our records, year by year, and queues the missing ones for repair. */
async function countList(run: Run, cursor: At<'count'>): Promise<StepEnd<CveCursor>> {
  const { origin, is_backfill, file, through } = cursor
  const end = current({ origin, is_backfill, through, counted: file.date })
  const zip = await openRemoteZip(file.url)
  if (!zip) return { cursor: end, done: false }

  const byYear = new Map<number, string[]>()
  for await (const name of zipNames(zip)) {
    const id = parseId(name)
    if (!id) continue
    const year = Number(id.slice(4, 8))
    const ids = byYear.get(year) ?? []
    if (ids.push(id) === 1) byYear.set(year, ids)
  }
  const counted = { feed_id: 'cve', source: 'cve', now: run.now } as const
  for (const [year, ids] of byYear) await run.write({ more: countYear(run.db, { ...counted, year }, ids) }, cursor)
  await run.write({ more: settleYears(run.db, counted) }, end)
  return { cursor: end, done: false }
}

async function findNews(run: Run, cursor: At<'current'>): Promise<StepEnd<CveCursor>> {
  const { origin, is_backfill, through, counted } = cursor
  const found = await findDeltas(run, through)
  // We were away for longer than the listed releases: read the whole list, where unchanged records cost little.
  if (!found) return { cursor: await listFrom(run, { origin, is_backfill: false }), done: false }
  const { deltas: files, whole: file } = found
  if (files.length)
    return {
      cursor: { phase: 'deltas', origin, is_backfill, files, version: '', place: zipStart, through, counted },
      done: false,
    }
  if (file && file.date > counted)
    return { cursor: { phase: 'count', origin, is_backfill, file, through }, done: false }

  const end: CveCursor = { ...cursor, is_backfill: false, version: found.version }
  const api = addressIn(run.env, 'CVE_API_URL', 'https://cveawg.mitre.org/api/cve')
  if (api)
    await repairHoles(run, { feed_id: 'cve', source: 'cve', fetch: (id) => fetchRecord(api, id) }, repairsPerRun, end)
  return { cursor: end, done: true, newest: through }
}

async function fetchRecord(api: string, id: string) {
  if (!cveIdPattern.test(id)) throw new SourceError(`${id} is no CVE id`)
  const text = await fetchText(`${api}/${id}`, { max_bytes: maxRecordBytes })
  return text === null ? null : readRecord(text, Cve5, fromCve5)
}
