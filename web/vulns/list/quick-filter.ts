import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'

export type QuickFilter = 'all' | 'day' | 'week'

const week_days = 7
const day_ms = 86_400_000

/** Last 24h is the current date, Last Week is 7 days back (S2 §4); the server reads dates as UTC. */
export function firstDay(filter: QuickFilter, now: Date) {
  if (filter === 'all') return undefined
  const days = filter === 'week' ? week_days : 0
  return new Date(now.getTime() - days * day_ms).toISOString().slice(0, 10)
}

export function findQuickFilter({ updated_at__gte }: Pick<VulnQuery, 'updated_at__gte'>, now = new Date()) {
  const filters: QuickFilter[] = ['all', 'day', 'week']
  return filters.find((filter) => firstDay(filter, now) === updated_at__gte)
}

export function chooseQuickFilter(
  current: QuickFilter | undefined,
  chosen: QuickFilter,
  now = new Date(),
): VulnQueryInput {
  return { updated_at__gte: firstDay(current === chosen ? 'all' : chosen, now), page: 1 }
}
