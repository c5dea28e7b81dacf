import * as z from 'zod'
import { ArchiveError } from '../../archives/archive-error'
import { errorText } from '../../db/error-text'
import { stamp } from '../../db/time'
import { isAfter, readChanges, type DocumentChange } from './changes'
import { isForeign, isOwnFolder } from './provider'
import { createSkip, readDocument, type Read } from './read'
import { bulletinStatements, compareEditions, findEditions, nameDocument } from './write'
import { defineFeed, endsStep, type StepEnd, type StepRun } from '../source/feed'
import { openChanged, readVersion } from '../read/fetch-source'
import { inLanes } from '../read/lanes'
import { lines } from '../read/lines'
import { SourceError } from '../read/source-error'
import { newSkip } from '../source/read-records'

/** The limit for changes.csv. */
const maxBytes = 16_000_000
const stepDocuments = 60
/** Providers may list a document late, with a date that we have already passed; after this time we expect none. */
const lateDays = 14

const ListedChange = z.object({ url: z.string(), date: z.string() })
const Provider = z.object({
  /** All documents up to this date are stored; `recent` holds those shortly before it, by address. */
  through: z.string(),
  recent: z.record(z.string(), z.string()),
  /** The progress of an unfinished reading: from its newest document down to `at`. */
  reading: z.object({ top: z.string(), recent: z.record(z.string(), z.string()), at: ListedChange }).nullable(),
  /** Of the changes.csv that was read to its end; empty while there may be more. */
  version: z.string().default(''),
})
type Provider = z.output<typeof Provider>

const CsafCursor = z.object({
  origin: z.string(),
  providers: z.record(z.string(), Provider),
  /** The next provider, and what this run has read and failed at so far. */
  next: z.int(),
  read: z.int(),
  errors: z.array(z.string()),
})
type CsafCursor = z.output<typeof CsafCursor>

/** Folders list their documents in changes.csv (CSAF 2.0, section 7); one that fails stops no other. */
export const csaf = defineFeed({
  id: 'csaf',
  name: 'CSAF bulletins',
  every_minutes: 10,
  quiet_days: 7,
  origin: [
    'https://raw.githubusercontent.com/cisagov/CSAF/develop/csaf_files/OT/white',
    'https://raw.githubusercontent.com/cisagov/CSAF/develop/csaf_files/IT/white',
    'https://security.access.redhat.com/data/csaf/v2/advisories',
  ].join(' '),
  topics: ['bulletins'],
  cursor: CsafCursor,
  watch: (cursor, { origin }) =>
    cursor.origin !== origin || cursor.next > 0
      ? null
      : listFolders(origin).map((folder) => ({
          url: `${folder}/changes.csv`,
          version: cursor.providers[folder]?.version ?? '',
        })),
  async step(run, stored) {
    const { origin } = run
    const cursor = stored?.origin === origin ? stored : { origin, providers: {}, next: 0, read: 0, errors: [] }
    const url = listFolders(origin)[cursor.next]
    if (url === undefined) return endRun(run, cursor)
    try {
      return await readDocuments(run, cursor, url)
    } catch (error) {
      if (!(error instanceof SourceError || error instanceof ArchiveError)) throw error
      const next = { ...cursor, next: cursor.next + 1, errors: [...cursor.errors, error.message] }
      await run.write({}, next)
      return { cursor: next, done: false }
    }
  },
})

const listFolders = (origin: string) =>
  origin
    .split(/\s+/)
    .filter(Boolean)
    .map((url) => url.replace(/\/+$/, ''))

async function endRun(run: StepRun<CsafCursor>, cursor: CsafCursor): Promise<StepEnd<CsafCursor>> {
  const end = { ...cursor, next: 0, read: 0, errors: [] }
  const newest = Object.values(cursor.providers)
    .map(({ through }) => through)
    .toSorted()
    .at(-1)
  if (!cursor.errors.length) return { cursor: end, done: true, newest }
  await run.write({}, end)
  throw new SourceError(cursor.errors.join('; '))
}

async function readDocuments(
  run: StepRun<CsafCursor>,
  cursor: CsafCursor,
  folder: string,
): Promise<StepEnd<CsafCursor>> {
  const provider = findProvider(cursor, folder, run.now)
  const list = await listChanges(folder, provider, run.now)
  if (list === 'unchanged') return { cursor: { ...cursor, next: cursor.next + 1 }, done: false }
  const { changes, version } = list
  const waiting = findWaiting(changes, provider)
  const batch = waiting.slice(0, stepDocuments)
  run.setTotal(cursor.read + waiting.length)

  const folders = listFolders(run.origin)
  const documents = await inLanes(batch, ({ url }, enlarge) =>
    readDocument(url, (publisher) => isForeign(folders, folder, publisher), enlarge),
  )

  const isWhole = batch.length === waiting.length
  const after = nextProvider(changes, provider, isWhole ? { version } : { last: batch.at(-1) })
  const next: CsafCursor = {
    ...cursor,
    providers: { ...cursor.providers, [folder]: after },
    next: isWhole ? cursor.next + 1 : cursor.next,
    read: cursor.read + batch.length,
  }
  if (run.skipsHostile) await writeEach(run, documents, { before: cursor, cursor: next })
  else await write(run, documents, next)
  return { cursor: next, done: false }
}

async function write(run: StepRun<CsafCursor>, documents: Read[], cursor: CsafCursor) {
  // One that is dated ahead would stand before all others until then.
  const now = stamp(run.now)
  const upToNow = (time: string) => (time < now ? time : now)
  const believed = await refuseOlder(run, documents)
  const bulletins = believed.flatMap((one) =>
    one.kind === 'bulletin'
      ? {
          ...one.bulletin,
          published: upToNow(one.bulletin.published),
          modified: upToNow(one.bulletin.modified),
        }
      : [],
  )
  const skipped = believed.flatMap((one) => (one.kind === 'skip' ? one.skip : []))
  const withdrawn = believed.flatMap((one) =>
    one.kind === 'skip' && one.withdrawn ? { ...one.withdrawn, modified: upToNow(one.withdrawn.modified) } : [],
  )
  const statements = documents.length ? bulletinStatements(run.db, bulletins, withdrawn) : {}
  await run.write(statements, cursor, { read: documents.length, skipped })
}

/**
 * Copies that are relayed come late and in any order, and a date ahead is no ground. Where version and date contradict each other a copy is
 * believed: one that names a version which its publisher never reaches holds back no later one. The publisher's own folder may take back what it says.
 */
async function refuseOlder({ db, now }: StepRun<CsafCursor>, documents: Read[]) {
  const findSpoken = (one: Read) => {
    const spoken = one.kind === 'bulletin' ? one.bulletin : one.withdrawn
    return spoken && !isOwnFolder(one.url, spoken.source) ? spoken : undefined
  }
  const stored = await findEditions(
    db,
    documents.flatMap((one) => findSpoken(one) ?? []),
  )
  return documents.map((one): Read => {
    const spoken = findSpoken(one)
    const known = spoken && stored.get(nameDocument(spoken))
    if (!known) return one
    const { version, modified } = spoken
    const dated = { version, modified: modified > stamp(now) ? '' : modified }
    const { byVersion, byDate } = compareEditions(dated, known)
    const isSame = byVersion === 0 && byDate === 0
    if (byVersion > 0 || byDate > 0 || (isSame && !(known.is_withdrawn && one.kind === 'bulletin'))) return one
    const describe = (edition: typeof spoken) => `version ${edition.version} of ${edition.modified}`
    const other = known.is_withdrawn ? 'it was withdrawn with' : 'another copy is'
    return createSkip(one.url, `It is ${describe(spoken)}, and ${other} ${describe(known)}`)
  })
}

/** Writes documents one by one and skips the one that made several runs fail. */
async function writeEach(
  run: StepRun<CsafCursor>,
  documents: Read[],
  { before, cursor }: { before: CsafCursor; cursor: CsafCursor },
) {
  for (const document of documents)
    try {
      await write(run, [document], before)
    } catch (error) {
      if (endsStep(error)) throw error
      const record_id = document.kind === 'bulletin' ? document.bulletin.publicid : document.skip.record_id
      const skipped = [newSkip(record_id, `It made the run fail: ${errorText(error)}`)]
      await run.write({}, before, { read: 1, skipped })
    }
  await write(run, [], cursor)
}

/** One that was read up to a day ahead, as a list could once say, begins anew. */
function findProvider({ providers }: CsafCursor, folder: string, now: Date): Provider {
  const known = providers[folder]
  const isAhead = known && known.through.slice(0, 10) > now.toISOString().slice(0, 10)
  return known && !isAhead ? known : { through: '', recent: {}, reading: null, version: '' }
}

async function listChanges(folder: string, { reading, version }: Provider, now: Date) {
  const source = await openChanged(`${folder}/changes.csv`, reading ? '' : version, { max_bytes: maxBytes })
  if (!source) throw new SourceError(`No such file: ${folder}/changes.csv`)
  if (source === 'unchanged') return source
  const changes = await readChanges(folder, lines(source.body), now)
  if (!changes.length) throw new SourceError(`${folder}/changes.csv lists no document`)
  return { changes, version: readVersion(source.headers) }
}

/** The documents still to read, newest first; an unfinished reading continues where it stopped. */
function findWaiting(changes: DocumentChange[], { through, recent, reading }: Provider) {
  const isNews = ({ url, date }: DocumentChange) =>
    date > through || (recent[url] !== date && date > daysBefore(through, lateDays))
  return changes.filter((one) => isNews(one) && (!reading || (one.date <= reading.top && isAfter(one, reading.at))))
}

/** The provider's state after its documents down to `last`, or after all of them. */
function nextProvider(
  changes: DocumentChange[],
  provider: Provider,
  { last, version = '' }: { last?: DocumentChange | undefined; version?: string },
): Provider {
  const top = provider.reading?.top ?? changes[0]?.date ?? ''
  // The list as of the beginning: the reading does not cover documents that came since.
  const recent = provider.reading?.recent ?? findRecent(changes, top)
  if (last) return { ...provider, reading: { top, recent, at: last }, version: '' }
  return { through: top, recent, reading: null, version: provider.reading ? '' : version }
}

const findRecent = (changes: DocumentChange[], top: string) =>
  Object.fromEntries(
    changes.filter(({ date }) => date <= top && date > daysBefore(top, lateDays)).map(({ url, date }) => [url, date]),
  )

const daysBefore = (date: string, days: number) =>
  date && new Date(Date.parse(date) - days * 86_400_000).toISOString().slice(0, 19)
