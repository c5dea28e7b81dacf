import { nothingAffected, splitName } from './derive'
import type { Affected, NameRanges } from './derive'
import { kinds } from './kinds'
import type { Kind } from './kinds'
import type { Fresh, Plan } from './plan-writes'
import type { Name, NameWrites } from './writes'

/** What is affected when a source says it anew. */
export function affectedAfter(old: Affected, { put, gone }: Fresh): Affected {
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

/** Rows about the products of a vulnerability, or about its packages. */
export function planNames(writes: NameWrites, plan: Plan, kind: Kind, ids: Map<string, number>) {
  const { cveid, fresh, before } = plan
  const [old, current] = [plan.affectedBefore[kind], plan.affected[kind]]
  for (const { key, [kind]: own } of fresh.put)
    for (const [name, { json }] of own)
      if (old.get(name)?.get(key)?.json !== json) writes.ranges.push([cveid, ...nameParts(name), key, json])

  const removed = missingFrom(current, old)
  if (removed.length || missingFrom(old, current).length) writes.relinked.push(cveid)
  if (!before) return

  const replaced = new Set([...fresh.gone, ...fresh.put.map(({ key }) => key)])
  for (const [name, bySource] of old) {
    const id = ids.get(name)
    if (id === undefined) continue
    for (const key of bySource.keys())
      if (replaced.has(key) && !current.get(name)?.has(key)) writes.goneRanges.push([before.id, id, key])
  }
  for (const name of removed) {
    const id = ids.get(name)
    if (id !== undefined) writes.goneLinks.push([before.id, id])
  }
}

// One more than a list shows, which tells that there are more.
const topCount = 6
export const topProducts = ({ products }: Affected) => [...products.keys()].sort().slice(0, topCount).map(nameParts)

export type Keyed = { has(name: string): boolean; keys(): Iterable<string> }
/** Names that stand here and not there. */
export const missingFrom = (there: Keyed, here: Keyed) => [...here.keys()].filter((name) => !there.has(name))
export const vendorsIn = (products: NameRanges) => new Set([...products.keys()].map((name) => nameParts(name)[0]))

export function nameParts(name: string): Name {
  const [first = '', second = ''] = splitName(name)
  return [first, second]
}
