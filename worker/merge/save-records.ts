import { isAborted, retryOvertaken } from '../db/guard'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { VulnChange } from '../domain/alerts/change'
import { formatSourceKey, type Source, type SourceKey, type VulnRecord } from '../domain/words/record'
import { adoptIds } from './adopt-ids'
import type { Withdrawn } from './moved-records'
import { hashed, isSameHash, newestOfEach, nothingOwn, type Hashed } from './record-hashes'
import { planWrites, type Fresh } from './plan-writes'
import { findHashes, findState, type Known, type Stored } from './find-state'
import { rejudge } from '../exposure/reranged'
import { saveStatements } from './save-sql'

export type Chunk = {
  source: Source
  records: VulnRecord[]
  /** Records that the source no longer has. */
  withdrawn?: Withdrawn[]
  /** `modified` of the stored record that this replaces, null for none; if another one is stored, Superseded is thrown. */
  replaces?: string | null
  /** A first load: its changes are history, not news. */
  is_backfill: boolean
  /** Since when its source is read anew because our rules changed: records that it does not date later are no news. */
  reread_since?: string | undefined
  now: Date
}

/** Further statements of the batch, given how many vulnerabilities changed, and how many of them without news: the feed's cursor and counts. */
export type Alongside = (changed: number, rewritten: number) => D1PreparedStatement[]
const nothing: Alongside = () => []
/** Writes the batch. */
export type WriteBatch = (statements: D1PreparedStatement[]) => Promise<unknown>

export class Superseded extends Error {}

/** Another merge may write between our reading and our writing: then we read again. */
const overtaken = { attempts: 5, isOvertaken: (error: unknown) => isAborted(error, 'knowledge base') }

/**
 * Writes everything and `alongside` in one batch, or nothing. Records that are unchanged, or older than the stored ones, write nothing.
 * Answers whether there may be something to alert.
 */
export async function saveRecords(
  db: Db,
  chunk: Chunk,
  alongside = nothing,
  send: WriteBatch = async (all) => all.length && db.$client.batch(all),
) {
  const { source, withdrawn = [] } = chunk
  const hashes = hashAll(source, chunk.records, chunk.now)
  const gone = withdrawn.map(({ cveid, ref }): [string, SourceKey] => [cveid, formatSourceKey(source, ref)])
  // People's own records take nobody's id.
  if (source !== 'manual') await adoptIds(db, hashes)
  return retryOvertaken(overtaken, () => mergeAndWrite(db, chunk, { hashes, gone }, { alongside, send }))
}

/** Clocks differ, and days by their zones. */
const aheadSeconds = 2 * 86_400

function hashAll(source: Source, records: VulnRecord[], now: Date) {
  const last = stamp(plusSeconds(now, aheadSeconds))
  const given = source === 'manual' ? records : records.map((record) => withoutTimesAhead(record, last))
  return newestOfEach(given).map((record) => hashed(source, record))
}

type Times = { published?: string | undefined; modified?: string | undefined }

/** A source's time that is not yet is none: its vulnerability, exploit, threat or claim would stand before all others until then. */
function withoutTimesAhead(record: VulnRecord, last: string): VulnRecord {
  const isAhead = (time = '') => time > last
  const keep = ({ published, modified }: Times) => ({
    ...(published && !isAhead(published) && { published }),
    ...(modified && !isAhead(modified) && { modified }),
  })
  const keepOne = <One extends Times>({ published, modified, ...item }: One) => ({
    ...item,
    ...keep({ published, modified }),
  })
  const { published: _published, modified: _modified, exploits = [], threats = [], claims = [], ...others } = record
  const times = [record, ...exploits, ...threats].flatMap(({ published, modified }) => [published, modified])
  if (![...times, ...claims.map(({ added }) => added)].some(isAhead)) return record
  return {
    ...others,
    ...keep(record),
    ...(exploits.length && { exploits: exploits.map(keepOne) }),
    ...(threats.length && { threats: threats.map(keepOne) }),
    ...(claims.length && { claims: claims.map((claim) => (isAhead(claim.added) ? { ...claim, added: '' } : claim)) }),
  }
}

export async function findFresh(db: Db, source: Source, records: VulnRecord[], now: Date) {
  const hashes = hashAll(source, records, now)
  await adoptIds(db, hashes)
  const { byCve } = await findHashes(
    db,
    hashes.map(({ cveid, key }): [string, SourceKey] => [cveid, key]),
  )
  return hashes.flatMap((candidate) =>
    isFresh(candidate, byCve.get(candidate.cveid)?.records.get(candidate.key), now) ? candidate.record : [],
  )
}

type Remerge = Pick<Chunk, 'now' | 'is_backfill' | 'reread_since'>

export async function remergeVulns(db: Db, cveids: string[], given: Remerge, alongside = nothing) {
  return retryOvertaken(overtaken, async () => {
    const { kb_version, byCve } = await findHashes(
      db,
      cveids.map((cveid): [string, SourceKey] => [cveid, 'manual']),
    )
    const fresh = [...byCve.keys()].map((cveid): Fresh => ({ cveid, put: [], gone: [] }))
    const state = await findState(
      db,
      byCve,
      fresh.map(({ cveid }) => ({ cveid, records: [], ...nothingOwn() })),
    )
    const writes = planWrites(given, fresh, state)
    const { length: changed } = writes.updates
    const how = { source: 'manual', ...given } as const
    const statements = [
      ...(changed ? saveStatements(db, how, kb_version, writes) : []),
      ...alongside(changed, given.reread_since === undefined ? 0 : changed),
    ]
    if (statements.length) await db.$client.batch(statements)
    return { hasNews: writes.changes.some(([, , kind]) => kind !== 'minor') }
  })
}

/** Fields that a source rewrites without saying anything else; no rule of an alert reads them. */
const reworded = new Set<VulnChange['field']>(['summary', 'references'])

type Request = { hashes: Hashed[]; gone: [cveid: string, key: SourceKey][] }

type Writing = { alongside: Alongside; send: WriteBatch }

async function mergeAndWrite(db: Db, chunk: Chunk, request: Request, { alongside, send }: Writing) {
  const wanted = request.hashes.map(({ cveid, key }): [string, SourceKey] => [cveid, key])
  const findNamed = (known: Map<string, Known> | undefined, named: Fresh[]) =>
    findState(
      db,
      known,
      named.map(({ cveid, put }) => ({ cveid, ...namesIn(put) })),
    )
  // Most records of a feed are unchanged; the few that people write are read in one trip.
  const isByHand = chunk.source === 'manual'
  const [{ kb_version, byCve }, early] = await Promise.all([
    findHashes(db, [...wanted, ...request.gone]),
    isByHand ? findNamed(undefined, groupByCve(request)) : undefined,
  ])
  refuseSuperseded(chunk, request, byCve)
  const fresh = groupByCve(findChanged(request, byCve, chunk.now))
  if (!fresh.length) {
    await send(alongside(0, 0))
    return { hasNews: false }
  }

  const state = early ?? (await findNamed(byCve, fresh))
  const planned = planWrites(chunk, fresh, state)
  const rejudged = await rejudge(db, planned.reranged)
  const awaited = state.isAnyAwaited ? planned.vulns.map(({ derived: { cveid } }) => cveid) : []
  const rewatched = [...new Set([...planned.rewatched, ...rejudged.cveids, ...awaited])]
  const writes = { ...planned, rejudged, rewatched, isAnyAwaited: state.isAnyAwaited }
  const told = writes.changes.filter(([, detail]) => detail.some(({ field }) => !reworded.has(field))).length
  const rewritten = chunk.is_backfill ? 0 : fresh.length - told
  const version = Math.min(kb_version, state.kb_version)
  await send([...saveStatements(db, chunk, version, writes), ...alongside(fresh.length, rewritten)])
  return { hasNews: !chunk.is_backfill && writes.changes.some(([, , kind]) => kind !== 'minor') }
}

function refuseSuperseded({ replaces }: Chunk, { hashes }: Request, known: Map<string, Known>) {
  if (replaces === undefined) return
  for (const { cveid, key } of hashes)
    if ((known.get(cveid)?.records.get(key)?.modified ?? null) !== replaces) throw new Superseded(`${cveid} ${key}`)
}

const findChanged = ({ hashes, gone }: Request, known: Map<string, Known>, now: Date): Request => ({
  hashes: hashes.filter((candidate) => isFresh(candidate, known.get(candidate.cveid)?.records.get(candidate.key), now)),
  gone: gone.filter(([cveid, key]) => known.get(cveid)?.records.has(key)),
})

function groupByCve({ hashes, gone }: Request): Fresh[] {
  const byCve = new Map<string, Fresh>()
  const change = (cveid: string) => {
    const changed = byCve.get(cveid) ?? { cveid, put: [], gone: [] }
    byCve.set(cveid, changed)
    return changed
  }
  for (const candidate of hashes) change(candidate.cveid).put.push(candidate)
  for (const [cveid, key] of gone) change(cveid).gone.push(key)
  return [...byCve.values()]
}

// A stored record that claims to be of tomorrow would otherwise refuse all later ones.
function isFresh({ record, hash }: Hashed, stored: Stored | undefined, now: Date) {
  if (!stored) return true
  const known = stored.modified !== null && stored.modified <= stamp(now) ? stored.modified : ''
  const isOlder = record.modified !== undefined && record.modified < known
  return !isSameHash(stored.hash, hash) && !isOlder
}

const namesIn = (put: Hashed[]) => ({
  records: put.map(({ record }) => record),
  products: new Map(put.flatMap(({ products }) => [...products])),
  packages: new Map(put.flatMap(({ packages }) => [...packages])),
})

/** `hasNews` asks for a message to the alerts queue. Throws Superseded when the record that it `replaces` (by `modified`) is gone. */
export const saveManual = (db: Db, record: VulnRecord, { now, replaces, send, is_backfill = false }: Saving) =>
  saveRecords(
    db,
    { source: 'manual', records: [{ ...record, modified: stamp(now) }], replaces, is_backfill, now },
    nothing,
    send,
  )

type Saving = { now: Date; replaces: string | null; send: WriteBatch; is_backfill?: boolean }
