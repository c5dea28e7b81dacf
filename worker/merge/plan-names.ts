import { newPlacing, orderAffected } from '../domain/versions/affected-items'
import { cisaKey, rangeKeys, summarySource } from '../domain/words/record'
import { findContradicted } from '../domain/words/summary-words'
import { packRanges, unpackRanges } from '../domain/versions/stored-ranges'
import { nothingAffected, splitName, type Affected, type NameRanges } from './derive'
import { kinds, type Kind } from './kinds'
import type { Fresh, Plan } from './plan-writes'
import type { Name, NameWrites } from './writes'

export function affectedAfter(old: Affected, { put, gone }: Fresh): Affected {
  const replaced = new Set([summarySource, ...[...gone, ...put.map(({ key }) => key)].flatMap(rangeKeys)])
  const after = nothingAffected()
  for (const { kind } of kinds) {
    for (const [name, bySource] of old[kind]) {
      const others = [...bySource].filter(([key]) => !replaced.has(key))
      if (others.length) after[kind].set(name, new Map(others))
    }
    for (const { key, [kind]: own } of put)
      for (const [name, ranges] of own)
        after[kind].set(name, new Map(after[kind].get(name)).set(ranges.by ? cisaKey : key, ranges))
  }
  return after
}

/** Sources may call versions not affected that the summary names: each verdict then knows of the contradiction. */
export function withSummary(affected: Affected, summary: string): Affected {
  const targets = kinds.flatMap(({ kind }) =>
    [...affected[kind]].map(([key, bySource]) => {
      const [group, name] = splitName(key)
      const via = kind === 'products' ? ('product' as const) : ('package' as const)
      return { kind, key, bySource, via, group, name, readStatements: () => toStatements(bySource) }
    }),
  )
  const contradicted = findContradicted(summary, targets)
  if (!contradicted.length) return affected
  const after = { products: new Map(affected.products), packages: new Map(affected.packages) }
  for (const { target, ranges } of contradicted) {
    const statement = { json: packRanges(ranges), count: ranges.length }
    after[target.kind].set(target.key, new Map(target.bySource).set(summarySource, statement))
  }
  return after
}

const toStatements = (bySource: BySource) =>
  [...bySource].map(([source, { json }]) => ({ source, ranges: unpackRanges(json) }))
type BySource = NonNullable<ReturnType<NameRanges['get']>>

export function planNames(writes: NameWrites, plan: Plan, kind: Kind, ids: Map<string, number>) {
  const { cveid, before } = plan
  const [old, current] = [plan.affectedBefore[kind], plan.affected[kind]]
  for (const [name, bySource] of current)
    for (const [key, { json }] of bySource)
      if (old.get(name)?.get(key)?.json !== json) writes.ranges.push([cveid, ...splitName(name), key, json])

  const removed = missingFrom(current, old)
  if (removed.length || missingFrom(old, current).length) writes.relinked.push(cveid)
  if (!before) return

  if (before.derived.state === 'rejected' && plan.derived.state !== 'rejected')
    for (const name of current.keys()) writes.reopened.push([cveid, ...splitName(name)])
  for (const [name, bySource] of old) {
    const id = ids.get(name)
    if (id === undefined) continue
    for (const key of bySource.keys()) if (!current.get(name)?.has(key)) writes.goneRanges.push([before.id, id, key])
  }
  for (const name of removed) {
    const id = ids.get(name)
    if (id !== undefined) writes.goneLinks.push([before.id, id])
  }
}

// A list shows one less; the last tells that there are more.
const topCount = 6

/** Subjects of the vulnerability first, systems that distribute it last. */
export function topProducts({ products }: Affected, spoken: string): Name[] {
  const names = [...products].sort(([one], [other]) => (one < other ? -1 : 1))
  if (names.length < 2) return names.map(([name]) => splitName(name))
  const place = newPlacing(spoken)
  const placed = names.map(([key, bySource]) => {
    const [group, name] = splitName(key)
    const statements = [...bySource.keys()].map((source) => ({ source }))
    return { key, fix: null, ...place({ via: 'product', group, name, monitored: false, statements }) }
  })
  return orderAffected(placed)
    .slice(0, topCount)
    .map(({ key }) => splitName(key))
}

export type Keyed = { has(name: string): boolean; keys(): Iterable<string> }
export const missingFrom = (there: Keyed, here: Keyed) => [...here.keys()].filter((name) => !there.has(name))
export const vendorsIn = (products: NameRanges) => new Set([...products.keys()].map((name) => splitName(name)[0]))
