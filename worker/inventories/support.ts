import type { Db } from '../db/open'
import { isEnding } from '../domain/versions/end-of-life'
import { compareText } from '../domain/versions/orders/order'
import { findRunningSupports, type RunningSupport } from '../exposure/running-releases'
import { pageOffset, type Paging } from '../http/page'
import { soonAfter } from '../taxonomy/lifecycles'
import { requireInventory } from './inventory'
import type { Distribution } from './upgrade-contract'

type Request = { name: string; query: Paging; now: Date }

export async function findUnsupported(db: Db, org_id: number, { name, query, now }: Request) {
  const { id } = await requireInventory(db, org_id, name)
  const running = await findRunningSupports(db, org_id, now, id)
  const known = running.filter(({ via }) => via === 'component')
  const soon = soonAfter(now)
  const ending = known.filter(({ support }) => isEnding(support.release, soon))
  ending.sort((a, b) => compareText(sortKey(a), sortKey(b)) || a.id - b.id)
  const from = pageOffset(query)
  return {
    results: ending.slice(from, from + query.limit).map(({ id: component_id, name: component, version, support }) => ({
      component_id,
      component,
      version,
      ...support,
    })),
    count: ending.length,
    count_is_exact: true,
    known: known.length,
    distributions: countPackages(running.filter(({ via }) => via === 'distribution')),
  }
}

const sortKey = ({ support: { release } }: RunningSupport) =>
  `${{ ended: 0, extended: 1, security: 2, supported: 2 }[release.state]} ${release.fixes_until ?? ''}`

/** The releases of distributions that packages of an inventory were built for, the commonest first. */
function countPackages(running: RunningSupport[]) {
  const found = new Map<string, Distribution>()
  for (const { lifecycle_id, support, packages = 0 } of running) {
    const key = `${lifecycle_id} ${support.release.name}`
    found.set(key, { ...support, packages: packages + (found.get(key)?.packages ?? 0) })
  }
  return [...found.values()]
}
