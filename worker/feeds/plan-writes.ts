import { stamp } from '../db/time'
import { changesBetween, kindOf } from '../domain/change'
import type { Change, ChangeKind } from '../domain/change'
import { merge } from '../domain/merge'
import type { Source } from '../domain/record'
import { comparedOf, countedIn, derive, splitName } from '../vulns/derive'
import type { Derived, ProductRanges, Ranges } from '../vulns/derive'
import type { Hashed } from './hashed'
import type { Before, Epss, State } from './read-state'

export type Name = [vendor: string, product: string]

/** Rows to write, as the statements of save-sql read them. */
export type Writes = {
  /** `touched_at` is when the vulnerability last changed; null leaves it as it was. */
  vulns: { derived: Derived; epss: Epss | null; touched_at: string | null }[]
  records: [cveid: string, hash: string, modified: string | null, body: string][]
  changes: [cveid: string, detail: Change[], kind: ChangeKind][]
  ranges: [cveid: string, ...name: Name, json: string][]
  goneRanges: [vuln_id: number, product_id: number][]
  goneLinks: [vuln_id: number, product_id: number][]
  /** Vulnerabilities whose products changed. */
  relinked: string[]
  newProducts: Name[]
  productCounts: [...name: Name, by: number, touched_at: string][]
  vendorCounts: [vendor: string, by: number, touched_at: string][]
  newProductCounts: [vendor: string, by: number][]
  counters: [name: string, by: number][]
}

/** Merges each record into what is known and collects what that writes. Pure: the database is read before, written after. */
export function planWrites(
  { source, now, is_backfill }: { source: Source; now: Date; is_backfill: boolean },
  fresh: Hashed[],
  state: State,
): Writes {
  const writes: Writes = {
    vulns: [],
    records: [],
    changes: [],
    ranges: [],
    goneRanges: [],
    goneLinks: [],
    relinked: [],
    newProducts: [],
    productCounts: [],
    vendorCounts: [],
    newProductCounts: [],
    counters: [],
  }
  const [products, vendors, counters] = [new Deltas(), new Deltas(), new Deltas()]

  for (const { record, hash, body, ranges } of fresh) {
    const { cveid } = record
    const before = state.vulns.get(cveid)
    const oldProducts: ProductRanges = before?.products ?? new Map()
    const after = mergeOne({ source, now }, { record, ranges }, before, oldProducts)

    const kind = kindOf(after.changes)
    // That a vulnerability came with a first load is told by its created_at; only news is logged.
    if (kind && !(is_backfill && kind === 'new')) writes.changes.push([cveid, after.changes, kind])
    const touched_at = touchedAt(after.derived, { now, is_backfill, isLogged: kind !== null })
    const epss = before ? null : (state.epss.get(cveid) ?? null)
    writes.vulns.push({ derived: after.derived, epss, touched_at })
    writes.records.push([cveid, hash, record.modified ?? null, body])
    for (const [name, { json }] of ranges)
      if (oldProducts.get(name)?.get(source)?.json !== json) writes.ranges.push([cveid, ...pair(name), json])

    if (before) writes.goneRanges.push(...namedIds(before, state, withdrawn(oldProducts, source, ranges)))
    const [added, removed] = [missingFrom(oldProducts, after.products), missingFrom(after.products, oldProducts)]
    if (before) writes.goneLinks.push(...namedIds(before, state, removed))
    if (added.length || removed.length) writes.relinked.push(cveid)

    const at = touched_at ?? stamp(now)
    products.add(added, 1, at)
    products.add(removed, -1, at)
    const [oldVendors, newVendors] = [vendorsOf(oldProducts), vendorsOf(after.products)]
    vendors.add(missingFrom(oldVendors, newVendors), 1, at)
    vendors.add(missingFrom(newVendors, oldVendors), -1, at)
    const oldCounts: Record<string, number> = before ? countedIn(before.derived) : {}
    for (const [name, count] of Object.entries(countedIn(after.derived)))
      counters.add([name], count - (oldCounts[name] ?? 0))
  }

  const created = products.names().filter((name) => !state.products.has(name))
  const perVendor = new Deltas()
  perVendor.add(
    created.map((name) => pair(name)[0]),
    1,
  )
  return {
    ...writes,
    newProducts: created.map(pair),
    productCounts: products.entries().map(([name, { by, at }]) => [...pair(name), by, at]),
    vendorCounts: vendors.entries().map(([name, { by, at }]) => [name, by, at]),
    newProductCounts: perVendor.entries().map(([name, { by }]) => [name, by]),
    counters: counters.entries().map(([name, { by }]) => [name, by]),
  }
}

// A first load is history: what it brings changed when its source says so, not today.
function touchedAt(derived: Derived, how: { now: Date; is_backfill: boolean; isLogged: boolean }) {
  const at = stamp(how.now)
  if (!how.is_backfill) return how.isLogged ? at : null
  const changed = derived.modified ?? derived.published ?? (derived.kev_added_at && `${derived.kev_added_at}T00:00:00Z`)
  return changed && changed < at ? changed : at
}

function mergeOne(
  { source, now }: { source: Source; now: Date },
  { record, ranges }: Pick<Hashed, 'record' | 'ranges'>,
  before: Before | undefined,
  oldProducts: ProductRanges,
) {
  const products = withRanges(oldProducts, source, ranges)
  const merged = merge({ ...before?.records, [source]: record })
  const derived = derive(record.cveid, merged, products, now)
  if (!before) return { derived, products, changes: [{ field: 'created', state: merged.state } satisfies Change] }

  const old = comparedOf(before.derived, urlsOf(merge(before.records)), oldProducts)
  return { derived, products, changes: changesBetween(old, comparedOf(derived, urlsOf(merged), products)) }
}

const urlsOf = ({ references }: { references: { url: string }[] }) => references.map(({ url }) => url)

function withRanges(products: ProductRanges, source: Source, own: Map<string, Ranges>): ProductRanges {
  const result: ProductRanges = new Map()
  for (const [name, bySource] of products) {
    const others = new Map([...bySource].filter(([one]) => one !== source))
    if (others.size) result.set(name, others)
  }
  for (const [name, one] of own) result.set(name, new Map(result.get(name)).set(source, one))
  return result
}

const withdrawn = (products: ProductRanges, source: Source, own: Map<string, Ranges>) =>
  [...products].filter(([name, bySource]) => bySource.has(source) && !own.has(name)).map(([name]) => name)

const namedIds = ({ id }: Before, { products }: State, names: string[]) =>
  names.flatMap((name): [number, number][] => {
    const product_id = products.get(name)
    return product_id === undefined ? [] : [[id, product_id]]
  })

type Names = { has(name: string): boolean; keys(): Iterable<string> }
const missingFrom = (there: Names, here: Names) => [...here.keys()].filter((name) => !there.has(name))
const vendorsOf = (products: ProductRanges) => new Set([...products.keys()].map((name) => pair(name)[0]))

function pair(name: string): Name {
  const [vendor = '', product = ''] = splitName(name)
  return [vendor, product]
}

/** Sums by name, with the newest time at which each was touched. */
class Deltas {
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
