import { parsePrivateName } from '../domain/cve'
import { Deltas } from './deltas'
import { countedIn } from './derive'
import { kinds } from './kinds'
import { missingFrom, nameParts, vendorsIn } from './plan-names'
import type { Plan } from './plan-writes'
import type { State } from './read-state'
import type { Writes } from './writes'

/** Names that are new, and by how much each name and counter changes; what an organization made for itself is counted nowhere. */
export function planCounts(writes: Writes, plans: Plan[], { ids }: State) {
  const deltas = { products: new Deltas(), packages: new Deltas(), vendors: new Deltas(), counters: new Deltas() }
  for (const plan of plans) if (parsePrivateName(plan.cveid) === null) addPlan(deltas, plan)

  for (const { kind } of kinds) {
    const names = writes.names[kind]
    names.created = deltas[kind]
      .names()
      .filter((name) => !ids[kind].has(name))
      .map(nameParts)
    names.counts = deltas[kind].entries().map(([name, { by, at }]) => [...nameParts(name), by, at])
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

function addPlan(deltas: AllDeltas, { before, affectedBefore, affected, derived, at }: Plan) {
  for (const { kind } of kinds) {
    deltas[kind].add(missingFrom(affectedBefore[kind], affected[kind]), 1, at)
    deltas[kind].add(missingFrom(affected[kind], affectedBefore[kind]), -1, at)
  }
  const [vendorsBefore, vendors] = [vendorsIn(affectedBefore.products), vendorsIn(affected.products)]
  deltas.vendors.add(missingFrom(vendorsBefore, vendors), 1, at)
  deltas.vendors.add(missingFrom(vendors, vendorsBefore), -1, at)
  const countsBefore: Record<string, number> = before ? countedIn(before.derived) : {}
  for (const [name, count] of Object.entries(countedIn(derived)))
    deltas.counters.add([name], count - (countsBefore[name] ?? 0))
}
