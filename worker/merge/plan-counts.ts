import { parsePrivateName } from '../domain/names/cve'
import { countedIn, nothingAffected, splitName, type Affected, type Derived } from './derive'
import { kinds } from './kinds'
import { missingFrom, vendorsIn, type Keyed } from './plan-names'
import type { Plan } from './plan-writes'
import type { State } from './find-state'
import type { Writes } from './writes'

/** Private vulnerabilities are counted nowhere. */
export function planCounts(writes: Writes, plans: Plan[], { ids }: State) {
  const deltas = { products: new Deltas(), packages: new Deltas(), vendors: new Deltas(), counters: new Deltas() }
  for (const plan of plans) if (parsePrivateName(plan.cveid) === null) addPlan(deltas, plan)

  for (const { kind } of kinds) {
    const names = writes.names[kind]
    names.created = deltas[kind]
      .names()
      .filter((name) => !ids[kind].has(name))
      .map(splitName)
    names.counts = deltas[kind].entries().map(([name, { by, at }]) => [...splitName(name), by, at])
  }
  const newProducts = new Deltas()
  newProducts.add(
    writes.names.products.created.map(([vendor]) => vendor),
    1,
  )
  writes.vendorCounts = deltas.vendors.entries().map(([name, { by, at }]) => [name, by, at])
  writes.newProductCounts = newProducts.entries().map(([name, { by }]) => [name, by])
  writes.counters = deltas.counters.entries().map(([name, { by }]) => [name, by])
}

type AllDeltas = Record<'products' | 'packages' | 'vendors' | 'counters', Deltas>

function addPlan(deltas: AllDeltas, plan: Plan) {
  const { before, derived, at } = plan
  const namedBefore = before ? countedNames(before.derived, plan.affectedBefore) : nothingAffected()
  const named = countedNames(derived, plan.affected)
  for (const { kind } of kinds) {
    // Names of a rejected vulnerability are kept, and not counted.
    deltas[kind].add(missingFrom(plan.affectedBefore[kind], plan.affected[kind]), 0)
    addDifference(deltas[kind], namedBefore[kind], named[kind], at)
  }
  addDifference(deltas.vendors, vendorsIn(namedBefore.products), vendorsIn(named.products), at)
  const countsBefore: Record<string, number> = before ? countedIn(before.derived) : {}
  for (const [name, count] of Object.entries(countedIn(derived)))
    deltas.counters.add([name], count - (countsBefore[name] ?? 0))
}

const countedNames = ({ state }: Pick<Derived, 'state'>, affected: Affected) =>
  state === 'rejected' ? nothingAffected() : affected

function addDifference(deltas: Deltas, before: Keyed, after: Keyed, at: string) {
  deltas.add(missingFrom(before, after), 1, at)
  deltas.add(missingFrom(after, before), -1, at)
}

export class Deltas {
  private readonly byName = new Map<string, { by: number; at: string }>()

  add(names: string[], by: number, at = '') {
    for (const name of names) {
      const known = this.byName.get(name)
      this.byName.set(name, known ? { by: known.by + by, at: known.at > at ? known.at : at } : { by, at })
    }
  }

  names = () => [...this.byName.keys()]
  entries = () => [...this.byName].filter(([, { by }]) => by !== 0)
}
