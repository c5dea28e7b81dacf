import { canBeAwaited } from '../../domain/names/cve'
import { byKind, watchedKinds, type WatchedKind } from '../../domain/names/watch-item'
import type { ImportMode, ImportReply } from '../import-contract'
import type { Watchlist } from './current'
import type { ListLine } from './parse-lines'
import type { Resolved } from './resolve'

/** An item as the watchlist has it afterwards. */
type WatchTarget = { id: number; groups: string[]; versions: string[] }
type AwaitedTarget = { kind: WatchedKind; value: string; groups: string[]; versions: string[] }
/** `remove` also for what no line names. */
export type LineAction = ImportReply['lines'][number]['action']

export type ImportPlan = {
  actions: { line: number; kind: WatchedKind; value: string; action: LineAction }[]
  put: Record<WatchedKind, WatchTarget[]>
  /** Those among `put` that were not watched before. */
  added: Record<WatchedKind, number[]>
  /** Those among `put` that concern other vulnerabilities than before, or otherwise. */
  reviewed: Record<WatchedKind, number[]>
  removed: Record<WatchedKind, number[]>
  /** Products that are taken out of their vendors. */
  excluded: number[]
  /** Of what a line says otherwise than the watchlist. */
  exposed: { kind: WatchedKind; id: number; publicly_exposed: boolean | null }[]
  awaited: AwaitedTarget[]
  forgotten: { kind: WatchedKind; value: string }[]
}

/** `restore` adds as well, but leaves what is watched by now as it is. */
export type PlanMode = ImportMode | 'restore'

/** Pure: everything that it depends on was read before. */
export function planImport(mode: PlanMode, lines: Resolved[], watchlist: Watchlist): ImportPlan {
  const plan: ImportPlan = {
    actions: [],
    put: byKind(() => []),
    added: byKind(() => []),
    reviewed: byKind(() => []),
    removed: byKind(() => []),
    excluded: [],
    exposed: [],
    awaited: [],
    forgotten: [],
  }
  const vendors = new Set(watchlist.items.vendor.keys())
  for (const { wanted, id } of lines) if (wanted.kind === 'vendor' && id !== null && mode !== 'remove') vendors.add(id)
  for (const line of lines) {
    const note = (action: LineAction) =>
      plan.actions.push({ line: line.line, kind: line.wanted.kind, value: line.wanted.value, action })
    if (mode === 'restore' && isSettled(line, watchlist)) note('already')
    else note(mode === 'remove' ? planRemoval(plan, line, watchlist) : planLine(plan, line, watchlist, vendors))
  }
  if (mode === 'sync') planGone(plan, lines, watchlist)
  return plan
}

function isSettled({ wanted, id, monitored }: Resolved, { items, awaited }: Watchlist) {
  if (id === null) return awaited.has(`${wanted.kind} ${wanted.value}`)
  const current = items[wanted.kind].get(id)
  return current !== undefined && (current.monitored || !monitored)
}

function planLine(plan: ImportPlan, line: Resolved, watchlist: Watchlist, vendors: Set<number>): LineAction {
  const { wanted, id } = line
  if (id === null) return planAwaited(plan, line, watchlist)
  const current = watchlist.items[wanted.kind].get(id)
  const byVendor = wanted.kind === 'product' && vendors.has(watchlist.vendors.get(id) ?? 0)
  if (!line.monitored) {
    if (!byVendor || current?.monitored === false) return 'already'
    plan.excluded.push(id)
    return 'change'
  }
  const target = {
    id,
    groups: line.groups ?? current?.groups ?? [],
    versions: line.versions ?? current?.versions ?? [],
  }
  plan.put[wanted.kind].push(target)
  const follows = wanted.kind === 'product' && watchlist.items.vendor.has(watchlist.vendors.get(id) ?? 0)
  const isNew = !(current ? current.monitored : follows)
  const hasSameVersions = isSameList(target.versions, current?.versions ?? [])
  const isExposedAnew = planExposure(plan, line, id, watchlist)
  if (isNew || !hasSameVersions || isExposedAnew) plan.reviewed[wanted.kind].push(id)
  if (isNew) {
    plan.added[wanted.kind].push(id)
    return 'add'
  }
  return hasSameVersions && !isExposedAnew && isSameList(target.groups, current?.groups ?? []) ? 'already' : 'change'
}

function planExposure(
  plan: ImportPlan,
  { wanted: { kind }, publicly_exposed }: Resolved,
  id: number,
  { exposures }: Watchlist,
) {
  const current = exposures.get(`${kind} ${id}`) ?? null
  if (publicly_exposed === undefined || publicly_exposed === current) return false
  plan.exposed.push({ kind, id, publicly_exposed })
  return true
}

function planAwaited(plan: ImportPlan, line: ListLine, { awaited }: Watchlist): LineAction {
  const { kind, value } = line.wanted
  // Neither a number of ours that is not there nor an id that no source uses names what could come.
  if (line.wanted.kind === 'vuln' && !canBeAwaited(line.wanted.cveid ?? '')) return 'absent'
  if (!line.monitored) return 'absent'
  const known = awaited.get(`${kind} ${value}`)
  const target = {
    kind,
    value,
    groups: line.groups ?? known?.groups ?? [],
    versions: line.versions ?? known?.versions ?? [],
  }
  plan.awaited.push(target)
  return 'await'
}

function planRemoval(plan: ImportPlan, { wanted, id }: Resolved, watchlist: Watchlist): LineAction {
  if (id === null) {
    if (!watchlist.awaited.has(`${wanted.kind} ${wanted.value}`)) return 'absent'
    plan.forgotten.push({ kind: wanted.kind, value: wanted.value })
    return 'remove'
  }
  const follows = wanted.kind === 'product' && watchlist.items.vendor.has(watchlist.vendors.get(id) ?? 0)
  if (!(watchlist.items[wanted.kind].get(id)?.monitored ?? follows)) return 'already'
  plan.removed[wanted.kind].push(id)
  return 'remove'
}

/** A list replaces what is watched of the kinds that it names; items that it does not name go. */
function planGone(plan: ImportPlan, lines: Resolved[], { items, awaited }: Watchlist) {
  for (const kind of watchedKinds) {
    const own = lines.filter(({ wanted }) => wanted.kind === kind)
    if (!own.length) continue
    const [ids, values] = [new Set(own.map(({ id }) => id)), new Set(own.map(({ wanted }) => wanted.value))]
    // A product that is taken out of its vendor is not watched yet.
    for (const { id, monitored } of items[kind].values()) if (monitored && !ids.has(id)) plan.removed[kind].push(id)
    for (const one of awaited.values())
      if (one.kind === kind && !values.has(one.value)) plan.forgotten.push({ kind, value: one.value })
  }
}

const isSameList = (one: string[], other: string[]) =>
  one.length === other.length && one.every((text) => other.includes(text))
