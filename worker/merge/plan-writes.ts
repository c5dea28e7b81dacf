import { stamp } from '../db/time'
import { changesBetween, kindOf } from '../domain/change'
import type { Change, ChangeKind } from '../domain/change'
import { orgOfName } from '../domain/cve'
import { merge } from '../domain/merge'
import type { Merged, MergedExploit, MergedThreat, Records } from '../domain/merge'
import type { SourceKey, VulnRecord } from '../domain/record'
import { comparedOf, countedIn, derive, derivedColumns, nothingAffected, splitName } from './derive'
import type { Affected, Derived, NameRanges } from './derive'
import { isShared, packBody } from './record-body'
import { Deltas } from './deltas'
import type { Hashed } from './hashed'
import { kinds } from './kinds'
import type { Kind } from './kinds'
import type { Before, Epss, State } from './read-state'

/** Vendor and product, or type and name of a package. */
export type Name = [first: string, name: string]

/** What a source changed in what it says of one vulnerability. */
export type Fresh = { cveid: string; put: Hashed[]; gone: SourceKey[] }

/** Rows about the products of vulnerabilities, or about their packages. */
export type NameWrites = {
  ranges: [cveid: string, ...name: Name, key: SourceKey, json: string][]
  goneRanges: [vuln_id: number, id: number, key: SourceKey][]
  goneLinks: [vuln_id: number, id: number][]
  /** Vulnerabilities that lost or gained a product. */
  relinked: string[]
  created: Name[]
  counts: [...name: Name, by: number, touched_at: string][]
}

/** Columns of a vulnerability; its first products by their names. */
type Values = Derived & { updated_at: string; top_products: Name[] }

/** Rows to write, as the statements of save-sql read them. */
export type Writes = {
  /** New ones; `touched_at` is when the vulnerability last changed, null for now. */
  vulns: { derived: Derived; epss: Epss | null; touched_at: string | null; top: Name[] }[]
  /** Those that were here before: what they are now, and what of it changed. */
  updates: { id: number; values: Values; changed: (keyof Values)[] }[]
  /** Vulnerabilities that were here before and are touched. */
  touched: number[]
  /** Those that are touched or have other links: somebody else may watch them now. */
  rewatched: string[]
  records: [cveid: string, key: SourceKey, hash: string, modified: string | null, body: string][]
  goneRecords: [vuln_id: number, key: SourceKey][]
  changes: [cveid: string, detail: Change[], kind: ChangeKind][]
  exploits: [cveid: string, exploit: MergedExploit & { modified: string }][]
  threats: [cveid: string, threat: MergedThreat & { modified: string }][]
  goneExploits: [vuln_id: number, key: string][]
  goneThreats: [vuln_id: number, key: string][]
  aliases: [cveid: string, alias: string][]
  goneAliases: [vuln_id: number, alias: string][]
  names: Record<Kind, NameWrites>
  vendorCounts: [vendor: string, by: number, touched_at: string][]
  newProductCounts: [vendor: string, by: number][]
  counters: [name: string, by: number][]
}

/** Merges each record into what is known and collects what that writes. Pure: the database is read before, written after. */
export function planWrites(
  { now, is_backfill }: { now: Date; is_backfill: boolean },
  fresh: Fresh[],
  state: State,
): Writes {
  const writes = noWrites()
  const deltas = { products: new Deltas(), packages: new Deltas(), vendors: new Deltas(), counters: new Deltas() }

  for (const one of fresh) {
    const { cveid } = one
    const before = state.vulns.get(cveid)
    const old = before?.affected ?? nothingAffected()
    const affected = affectedAfter(old, one)
    const merged = merge(recordsAfter(before?.records ?? {}, one))
    const derived = derive(cveid, merged, affected, now)
    const was = before && merge(before.records)

    if (before && isOnlyReread(one) && isSame(before.derived, derived)) continue
    // What comes with a first load is history: only news is logged.
    const changes = is_backfill ? [] : changesOf(before, was, { derived, merged, affected })
    const kind = kindOf(changes)
    if (kind) writes.changes.push([cveid, changes, kind])
    const touched_at = touchedAt(derived, { now, is_backfill, isLogged: kind !== null })
    if (!before) writes.vulns.push({ derived, epss: state.epss.get(cveid) ?? null, touched_at, top: topOf(affected) })
    else {
      const update = updateOf(before, { derived, affected, touched_at })
      if (update.changed.length) writes.updates.push(update)
      if (update.changed.includes('updated_at')) {
        writes.touched.push(before.id)
        writes.rewatched.push(cveid)
      }
    }
    for (const { key, hash, record, kept } of one.put)
      writes.records.push([cveid, key, hash, record.modified ?? null, packBody(kept, merged.summary)])
    if (before) writes.records.push(...repacked(before, one, merged.summary))
    if (before) writes.goneRecords.push(...one.gone.map((key): [number, SourceKey] => [before.id, key]))

    const at = touched_at ?? stamp(now)
    planListed(writes, { cveid, before, was, merged, at })
    for (const { kind: named } of kinds)
      planNames(writes.names[named], { one, before, old, affected, named, ids: state.ids[named] })
    // What an organization made for itself is counted nowhere.
    if (orgOfName(cveid) !== null) continue
    for (const { kind: named } of kinds) {
      deltas[named].add(missingFrom(old[named], affected[named]), 1, at)
      deltas[named].add(missingFrom(affected[named], old[named]), -1, at)
    }
    const [oldVendors, newVendors] = [vendorsOf(old.products), vendorsOf(affected.products)]
    deltas.vendors.add(missingFrom(oldVendors, newVendors), 1, at)
    deltas.vendors.add(missingFrom(newVendors, oldVendors), -1, at)
    const oldCounts: Record<string, number> = before ? countedIn(before.derived) : {}
    for (const [name, count] of Object.entries(countedIn(derived)))
      deltas.counters.add([name], count - (oldCounts[name] ?? 0))
  }

  for (const { kind } of kinds) {
    writes.names[kind].created = deltas[kind]
      .names()
      .filter((name) => !state.ids[kind].has(name))
      .map(pair)
    writes.names[kind].counts = deltas[kind].entries().map(([name, { by, at }]) => [...pair(name), by, at])
  }
  const perVendor = new Deltas()
  perVendor.add(
    writes.names.products.created.map(([vendor]) => vendor),
    1,
  )
  const relinked = kinds.flatMap(({ kind }) => writes.names[kind].relinked)
  return {
    ...writes,
    rewatched: [...new Set([...writes.rewatched, ...relinked])],
    vendorCounts: deltas.vendors.entries().map(([name, { by, at }]) => [name, by, at]),
    newProductCounts: perVendor.entries().map(([name, { by }]) => [name, by]),
    counters: deltas.counters.entries().map(([name, { by }]) => [name, by]),
  }
}

// A re-merge over what is stored, which writes only what came out otherwise.
const isOnlyReread = ({ put, gone }: Fresh) => !put.length && !gone.length
const isSame = (before: Derived, after: Derived) =>
  (Object.keys(after) as (keyof Derived)[]).every((column) => before[column] === after[column])

function updateOf(
  before: Before,
  { derived, affected, touched_at }: { derived: Derived; affected: Affected; touched_at: string | null },
) {
  const [top, oldTop] = [topOf(affected), topOf(before.affected)]
  const isLater = touched_at !== null && touched_at > before.updated_at
  const values: Values = { ...derived, top_products: top, updated_at: isLater ? touched_at : before.updated_at }
  const changed: (keyof Values)[] = derivedColumns.filter((column) => before.derived[column] !== derived[column])
  if (JSON.stringify(top) !== JSON.stringify(oldTop)) changed.push('top_products')
  if (isLater) changed.push('updated_at')
  return { id: before.id, values, changed }
}

function noWrites(): Writes {
  const names = (): NameWrites => ({
    ranges: [],
    goneRanges: [],
    goneLinks: [],
    relinked: [],
    created: [],
    counts: [],
  })
  return {
    vulns: [],
    updates: [],
    touched: [],
    rewatched: [],
    records: [],
    goneRecords: [],
    changes: [],
    exploits: [],
    threats: [],
    goneExploits: [],
    goneThreats: [],
    aliases: [],
    goneAliases: [],
    names: { products: names(), packages: names() },
    vendorCounts: [],
    newProductCounts: [],
    counters: [],
  }
}

// One more than a list shows, which tells that there are more.
const topCount = 6
const topOf = ({ products }: Affected) => [...products.keys()].sort().slice(0, topCount).map(pair)

// Records that shared the summary that the vulnerability showed until now say it themselves from now on.
function repacked(before: Before, { put, gone }: Fresh, summary: string): Writes['records'] {
  const old = before.derived.summary
  if (old === summary) return []
  const others = (Object.entries(before.records) as [SourceKey, VulnRecord][]).filter(
    ([key, record]) => isShared(record, old) && !gone.includes(key) && !put.some((one) => one.key === key),
  )
  return others.map(([key, record]) => {
    const { hash = '', modified = null } = before.stored.get(key) ?? {}
    return [before.derived.cveid, key, hash, modified, packBody(record, summary)]
  })
}

// A first load is history: what it brings changed when its source says so, not today.
function touchedAt(derived: Derived, how: { now: Date; is_backfill: boolean; isLogged: boolean }) {
  const at = stamp(how.now)
  if (!how.is_backfill) return how.isLogged ? at : null
  const { modified, published, exploit_published, kev_added_at } = derived
  const changed = modified ?? published ?? (kev_added_at && `${kev_added_at}T00:00:00Z`) ?? exploit_published
  return changed && changed < at ? changed : at
}

function recordsAfter(before: Records, { put, gone }: Fresh): Records {
  const records: Records = { ...before }
  for (const key of gone) delete records[key]
  for (const { key, record } of put) records[key] = record
  return records
}

function affectedAfter(old: Affected, { put, gone }: Fresh): Affected {
  const replaced = new Set([...gone, ...put.map(({ key }) => key)])
  const after = nothingAffected()
  for (const { kind } of kinds) {
    for (const [name, bySource] of old[kind]) {
      const others = [...bySource].filter(([key]) => !replaced.has(key))
      if (others.length) after[kind].set(name, new Map(others))
    }
    for (const { key, [kind]: own } of put)
      for (const [name, ranges] of own) after[kind].set(name, new Map(after[kind].get(name)).set(key, ranges))
  }
  return after
}

type After = { derived: Derived; merged: Merged; affected: Affected }

function changesOf(
  before: Before | undefined,
  was: Merged | undefined,
  { derived, merged, affected }: After,
): Change[] {
  if (!before || !was) return [{ field: 'created', state: merged.state }]
  return changesBetween(comparedOf(before.derived, was, before.affected), comparedOf(derived, merged, affected))
}

type Listed = { cveid: string; before: Before | undefined; was: Merged | undefined; merged: Merged; at: string }

/** Rows of exploits, threats and aliases: what is new or different, and what is gone. */
function planListed(writes: Writes, { cveid, before, was, merged, at }: Listed) {
  const exploits = differing(was?.exploits ?? [], merged.exploits)
  const threats = differing(was?.threats ?? [], merged.threats)
  const dated = <One extends { published?: string; modified?: string }>(one: One) => ({
    ...one,
    modified: one.modified ?? one.published ?? at,
  })
  for (const one of exploits.put) writes.exploits.push([cveid, dated(one)])
  for (const one of threats.put) writes.threats.push([cveid, dated(one)])
  const aliases = new Set(was?.aliases)
  for (const alias of merged.aliases) if (!aliases.delete(alias)) writes.aliases.push([cveid, alias])
  if (!before) return

  for (const key of exploits.gone) writes.goneExploits.push([before.id, key])
  for (const key of threats.gone) writes.goneThreats.push([before.id, key])
  for (const alias of aliases) writes.goneAliases.push([before.id, alias])
}

function differing<One extends { key: string }>(before: One[], after: One[]) {
  const old = new Map(before.map((one) => [one.key, JSON.stringify(one)]))
  const put = after.filter((one) => old.get(one.key) !== JSON.stringify(one))
  for (const { key } of after) old.delete(key)
  return { put, gone: [...old.keys()] }
}

type Names = {
  one: Fresh
  before: Before | undefined
  old: Affected
  affected: Affected
  named: Kind
  ids: Map<string, number>
}

function planNames(writes: NameWrites, { one: { cveid, put, gone }, before, old, affected, named, ids }: Names) {
  for (const { key, [named]: own } of put)
    for (const [name, { json }] of own)
      if (old[named].get(name)?.get(key)?.json !== json) writes.ranges.push([cveid, ...pair(name), key, json])

  const replaced = new Set([...gone, ...put.map(({ key }) => key)])
  const [added, removed] = [missingFrom(old[named], affected[named]), missingFrom(affected[named], old[named])]
  if (added.length || removed.length) writes.relinked.push(cveid)
  if (!before) return

  for (const [name, bySource] of old[named]) {
    const id = ids.get(name)
    if (id === undefined) continue
    for (const key of bySource.keys())
      if (replaced.has(key) && !affected[named].get(name)?.has(key)) writes.goneRanges.push([before.id, id, key])
  }
  for (const name of removed) {
    const id = ids.get(name)
    if (id !== undefined) writes.goneLinks.push([before.id, id])
  }
}

type Keyed = { has(name: string): boolean; keys(): Iterable<string> }
const missingFrom = (there: Keyed, here: Keyed) => [...here.keys()].filter((name) => !there.has(name))
const vendorsOf = (products: NameRanges) => new Set([...products.keys()].map((name) => pair(name)[0]))

function pair(name: string): Name {
  const [first = '', second = ''] = splitName(name)
  return [first, second]
}
