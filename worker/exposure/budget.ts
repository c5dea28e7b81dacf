import { isAborted } from '../db/guard'
import type { Db } from '../db/open'
import { plainNumber } from '../domain/versions/compiled'
import type { JudgedKind } from '../domain/versions/verdict'
import type { KeptNames, KnownItems } from './judge'
import { findItems, targetKey } from './statements'
import type { Judged } from './targets'
import { findSizes, type Run } from './versions'

/** Comparisons of a version with a vulnerability: so many take about 100 ms, and a request no longer. The rest goes to steps. */
export const requestComparisons = 4_000
/** Not even names without vulnerabilities are looked at. */
const noComparisons = -1
/** Of one turn of a step, after which others have theirs. */
export const turnComparisons = 12_000
/**
 * Findings that an organization, and one of its inventories, may have: beyond it new components are told as not compared, as each finding is a
 * row that all pay for, and a list of an inventory reads all of its own while the database serves nobody else.
 */
export const maxFindings = { organization: 2_000_000, inventory: 250_000 }

/** A name that was read once answers further versions for less: a plain number has only to find its place (domain/versions/compiled). */
const priceOfFurther = (version: string | null) => (plainNumber.test(version ?? '') ? 1 / 16 : 1 / 4)

/** `said`: how many vulnerabilities its names have. */
export type Priced = Judged & { said: number }

/** Those of the components that fit, the cheapest first, and the `items` of all; a turn takes one at least. */
export async function takeWithin(
  db: Db,
  components: Judged[],
  { limit, least = 0, kept }: { limit: number; least?: number; kept?: KeptNames },
): Promise<{ taken: Priced[]; items: KnownItems }> {
  const findNamed = async (kind: JudgedKind) => {
    const names = components.flatMap(({ targets }) => targets.filter((target) => target.kind === kind))
    return new Map((await findItems(db, kind, names)).map((item) => [targetKey(item), item]))
  }
  const [packages, products] = await Promise.all([findNamed('package'), findNamed('product')])
  const items = { package: packages, product: products }
  const countSaid = (target: Judged['targets'][number]) => items[target.kind].get(targetKey(target))?.vulns_count ?? 0
  const priced = components.map((component) => ({
    ...component,
    said: component.targets.reduce((sum, target) => sum + countSaid(target), 0),
  }))
  priced.sort((a, b) => a.said - b.said)
  const read = new Set(kept?.names.keys())
  let left = limit
  const taken = priced.filter(({ targets }, at) => {
    for (const target of targets) {
      const key = `${target.kind} ${targetKey(target)}`
      left -= countSaid(target) * (read.has(key) ? priceOfFurther(target.version) : 1)
      read.add(key)
    }
    return left >= 0 || at < least
  })
  return { taken, items }
}

/** Judges within a request; where somebody merged meanwhile, and again, steps judge all of it, so that no request waits for a pause of the feeds. */
export async function judgeOrLeave<Result>(judge: (limit: number) => Promise<Result>) {
  for (const limit of [requestComparisons, requestComparisons]) {
    try {
      return await judge(limit)
    } catch (error) {
      if (!isAborted(error, 'knowledge base')) throw error
    }
  }
  return judge(noComparisons)
}

/** The same of versions of watched items, whoever runs them too. */
export async function takeRuns(
  db: Db,
  kind: JudgedKind,
  runs: Run[],
  { limit, least = 0 }: { limit: number; least?: number },
) {
  const sizes = await findSizes(db, kind, runs)
  const countCompared = ({ item_id, versions }: Run) =>
    (sizes.get(item_id) ?? 0) * versions.slice(1).reduce((sum, version) => sum + priceOfFurther(version), 1)
  const priced = runs.map((run) => ({ run, price: countCompared(run) })).toSorted((a, b) => a.price - b.price)
  const [taken, left]: [Run[], Run[]] = [[], []]
  let compared = 0
  for (const [at, { run, price }] of priced.entries()) {
    const fits = at < least || compared + price <= limit
    if (fits) compared += price
    ;(fits ? taken : left).push(run)
  }
  return { taken, left, compared }
}
