import { plusSeconds, stamp } from '../db/time'
import { spokenText } from '../domain/versions/affected-items'
import { changesBetween, findChangeKind, type VulnChange } from '../domain/alerts/change'
import { mergeRecords, type Merged, type Records } from '../domain/words/merge'
import type { SourceKey, VulnRecord } from '../domain/words/record'
import { undatedStamp } from '../domain/words/last-update'
import { toCompared, derive, derivedColumns, nothingAffected } from './derive'
import type { Affected, Derived, NameRanges } from './derive'
import type { Hashed } from './record-hashes'
import { kinds, type Kind } from './kinds'
import { findEmptied } from './move-own'
import { planCounts } from './plan-counts'
import { affectedAfter, planNames, missingFrom, topProducts, withSummary } from './plan-names'
import { withNames } from './catalogue-names'
import type { Before, State } from './find-state'
import { isShared, packBody } from './record-body'
import { noWrites, type Values, type Writes } from './writes'
import { isExploitedBy } from '../domain/names/catalogues'
import type { JoinedVuln } from '../watchlist/moved'
import type { JudgedKind } from '../domain/versions/verdict'
import type { Reranged } from '../exposure/reranged'

export type Fresh = { cveid: string; put: Hashed[]; gone: SourceKey[] }

type Joining = ReturnType<typeof findEmptied>[number]

type How = { now: Date; is_backfill: boolean; reread_since?: string | undefined }

export type Plan = NonNullable<ReturnType<typeof planVuln>>

/** Pure: the database is read before and written after. */
export function planWrites(how: How, fresh: Fresh[], state: State): Writes {
  const writes = noWrites()
  const joining = Map.groupBy(findEmptied(fresh, state), ({ to }) => to)
  const plans = fresh.flatMap((vuln) => planVuln(how, vuln, state, joining.get(vuln.cveid)) ?? [])
  for (const plan of plans) {
    if (plan.kind) writes.changes.push([plan.cveid, plan.changes, plan.kind])
    planRow(writes, plan, state)
    planRecords(writes, plan)
    planListed(writes, plan)
    for (const { kind } of kinds) {
      planNames(writes.names[kind], plan, kind, state.ids[kind])
      writes.reranged.push(...findReranged(plan, kind, state.ids[kind]))
    }
  }
  planCounts(writes, plans, state)
  const moved = plans.flatMap(({ cveid, kind }) =>
    (joining.get(cveid) ?? []).map(({ to, was }): JoinedVuln => [was.id, to, was, kind !== null]),
  )
  const relinked = kinds.flatMap(({ kind }) => writes.names[kind].relinked)
  return {
    ...writes,
    moved,
    rewatched: [...new Set([...writes.rewatched, ...relinked, ...moved.flatMap(([from, to]) => [from, to])])],
  }
}

function planVuln(how: How, fresh: Fresh, state: State, joining: Joining[] = []) {
  const { cveid } = fresh
  const before = state.vulns.get(cveid)
  const affectedBefore = before?.affected ?? nothingAffected()
  const records = recordsAfter(before?.records ?? {}, fresh)
  const merged = mergeRecords(records)
  const affected = withSummary(withNames(affectedAfter(affectedBefore, fresh), records, state.known), merged.summary)
  const epss = before ? before.epss : (state.epss.get(cveid)?.epss ?? null)
  const derived = derive(cveid, merged, affected, { now: how.now, epss })
  if (before && isOnlyReread(fresh) && isSame(before.derived, derived) && hasSameNames(affectedBefore, affected))
    return null

  const was = before && mergeRecords(before.records)
  const isOurs = isOurReading(how, fresh, before)
  // A first load is history, and so is what a source said before we read it by other rules; the log holds only news.
  const isHistory = how.is_backfill || (isOurs && !before)
  const changes = isHistory || isOurs ? [] : changesIn(before, was, { derived, merged, affected }, joining)
  const kind = findChangeKind(changes)
  // When the vulnerability last changed; null when nothing is news.
  const touched_at = findTouched(derived, { now: how.now, is_backfill: isHistory }, kind !== null)
  const at = touched_at ?? stamp(how.now)
  // The date of an exploit whose source gives none: in a first load that of its vulnerability, else now.
  const undated_at = isHistory || isOurs ? (derived.published ?? at) : at
  const moved = { changes, kind, touched_at, at, undated_at }
  return { cveid, fresh, before, was, affectedBefore, affected, merged, derived, ...moved }
}

/** A source may publish a record so long after the time that it writes into it. */
const lateSeconds = 86_400

/** Whether only our rules read the records otherwise: the source dates none of them later than what is stored, or than before the reading. */
function isOurReading({ reread_since }: How, { put }: Fresh, before: Before | undefined) {
  if (reread_since === undefined) return false
  return put.every(({ key, record: { modified, published } }) => {
    const known = before?.stored.get(key)?.modified ?? stamp(plusSeconds(new Date(reread_since), -lateSeconds))
    return (modified ?? published ?? '') <= known
  })
}

// A merge of stored records alone writes only the differences.
const isOnlyReread = ({ put, gone }: Fresh) => !put.length && !gone.length
const hasSameNames = (before: Affected, after: Affected) =>
  before.products.size === after.products.size && !missingFrom(before.products, after.products).length
const isSame = (before: Derived, after: Derived) =>
  (Object.keys(after) as (keyof Derived)[]).every((column) => before[column] === after[column])

function planRow(writes: Writes, plan: Plan, { epss }: State) {
  const { cveid, before, was, derived, merged, affected, touched_at } = plan
  const top = topProducts(affected, spokenText(merged))
  if (!before) {
    writes.vulns.push({ derived, epss: epss.get(cveid) ?? null, touched_at, top })
    return
  }
  const isLater = touched_at !== null && touched_at > before.updated_at
  const values: Values = { ...derived, top_products: top, updated_at: isLater ? touched_at : before.updated_at }
  const changed: (keyof Values)[] = derivedColumns.filter((column) => before.derived[column] !== derived[column])
  const topBefore = was && topProducts(before.affected, spokenText(was))
  if (JSON.stringify(top) !== JSON.stringify(topBefore)) changed.push('top_products')
  if (isLater) {
    changed.push('updated_at')
    writes.touched.push(before.id)
    writes.rewatched.push(cveid)
  }
  if (changed.some((column) => datedBy.has(column))) writes.redated.push(cveid)
  if (changed.length) writes.updates.push({ id: before.id, values, changed })
}

/** Read by watchlist/due-days. */
const datedBy = new Set<keyof Values>(['kev_added_at', 'ssvc', 'cvss', 'cvss3', 'cvss4', 'score', 'is_malicious'])

function planRecords(writes: Writes, { cveid, fresh, before, merged }: Plan) {
  for (const { key, hash, record, body } of fresh.put)
    writes.records.push([cveid, key, hash, record.modified ?? null, packBody(body, merged.summary)])
  const guesses = listGuesses(recordsAfter(before?.records ?? {}, fresh))
  if (guesses.length) writes.guesses.push([cveid, JSON.stringify(guesses)])
  if (!before) return
  if (!guesses.length && listGuesses(before.records).length) writes.goneGuesses.push(before.id)
  writes.records.push(...repackShared(before, fresh, merged.summary))
  writes.goneRecords.push(...fresh.gone.map((key): [number, SourceKey] => [before.id, key]))
}

const listGuesses = (records: Records) =>
  Object.values(records).flatMap((record) => record?.guesses?.map(({ vendor, product }) => [vendor, product]) ?? [])

// Records that shared the vulnerability's old summary now need a copy of their own.
function repackShared(before: Before, { put, gone }: Fresh, summary: string): Writes['records'] {
  const old = before.derived.summary
  if (old === summary) return []
  const others = (Object.entries(before.records) as [SourceKey, VulnRecord][]).filter(
    ([key, record]) => isShared(record, old) && !gone.includes(key) && !put.some((added) => added.key === key),
  )
  return others.map(([key, record]) => {
    const { hash = '', modified = null } = before.stored.get(key) ?? {}
    return [before.derived.cveid, key, hash, modified, packBody(record, summary)]
  })
}

// A first load is history: its rows changed when their source says so, not today.
function findTouched(derived: Derived, { now, is_backfill }: Pick<How, 'now' | 'is_backfill'>, isLogged: boolean) {
  const at = stamp(now)
  if (!is_backfill) return isLogged ? at : null
  const { modified, published, exploit_published, kev_added_at } = derived
  const changed = modified ?? published ?? (kev_added_at && `${kev_added_at}T00:00:00Z`) ?? exploit_published
  return changed ? (changed < at ? changed : at) : undatedStamp(derived.cveid)
}

function recordsAfter(before: Records, { put, gone }: Fresh): Records {
  const records: Records = { ...before }
  for (const key of gone) delete records[key]
  for (const { key, record } of put) records[key] = record
  return records
}

type After = { derived: Derived; merged: Merged; affected: Affected }

function changesIn(
  before: Before | undefined,
  was: Merged | undefined,
  { derived, merged, affected }: After,
  joining: Joining[],
): VulnChange[] {
  if (!before || !was) return [{ field: 'created', state: merged.state }]
  const changes = changesBetween(
    toCompared(before.derived, was, before.affected),
    toCompared(derived, merged, affected),
  )
  return joining.length
    ? [...changes, { field: 'joined', advisories: joining.map((advisory) => advisory.was) }]
    : changes
}

function planListed(writes: Writes, { cveid, before, was, merged, undated_at }: Plan) {
  const exploits = differing(was?.exploits ?? [], merged.exploits)
  const threats = differing(was?.threats ?? [], merged.threats)
  const claims = differing(was?.claims ?? [], merged.claims)
  const dated = <One extends { published?: string; modified?: string }>(item: One) => ({
    ...item,
    modified: item.modified ?? item.published ?? undated_at,
  })
  for (const exploit of exploits.put) writes.exploits.push([cveid, { purpose: 'exploit', ...dated(exploit) }])
  for (const threat of threats.put) writes.threats.push([cveid, dated(threat)])
  for (const claim of claims.put) writes.claims.push([cveid, { ...claim, is_exploited: isExploitedBy(claim) }])
  const aliases = new Set(was?.aliases)
  for (const alias of merged.aliases) if (!aliases.delete(alias)) writes.aliases.push([cveid, alias])
  if (!before) return

  for (const key of exploits.gone) writes.goneExploits.push([before.id, key])
  for (const key of threats.gone) writes.goneThreats.push([before.id, key])
  // Of a rejected vulnerability nobody asks what the catalogues say; they withdrew nothing.
  if (merged.state !== 'rejected') for (const key of claims.gone) writes.goneClaims.push([before.id, key])
  for (const alias of aliases) writes.goneAliases.push([before.id, alias])
}

function differing<One extends { key: string }>(before: One[], after: One[]) {
  const old = new Map(before.map((item) => [item.key, JSON.stringify(item)]))
  const put = after.filter((item) => old.get(item.key) !== JSON.stringify(item))
  for (const { key } of after) old.delete(key)
  return { put, gone: [...old.keys()] }
}

const judgedKind = { products: 'product', packages: 'package' } as const satisfies Record<Kind, JudgedKind>

function findReranged(
  { cveid, affectedBefore, affected }: Pick<Plan, 'cveid' | 'affectedBefore' | 'affected'>,
  kind: Kind,
  ids: Map<string, number>,
): Reranged[] {
  const [before, after] = [affectedBefore[kind], affected[kind]]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const item_id = ids.get(name)
    if (item_id === undefined || hasSameRanges(before.get(name), after.get(name))) return []
    const statements = [...(after.get(name) ?? [])].map(([source, { json }]) => ({ source, ranges: json }))
    return [{ cveid, kind: judgedKind[kind], item_id, statements }]
  })
}

type BySource = NonNullable<ReturnType<NameRanges['get']>>

function hasSameRanges(before: BySource | undefined, after: BySource | undefined) {
  if (before?.size !== after?.size || !before) return false
  return [...before].every(([key, { json }]) => after?.get(key)?.json === json)
}
