import { sql } from 'drizzle-orm'
import { isAborted, refuseBeyond } from '../db/guard'
import { overQuota } from '../http/errors'

/** Of each kind. An organization that needs more monitors vendors, which bring their products. */
export const maxMonitored = 20_000

type Kind = 'vendor' | 'product' | 'package' | 'vuln' | 'bulletin'

/** For a batch, behind what adds items. */
export function refuseTooMany(org_id: number, kind: Kind) {
  const isMonitored = kind === 'product' ? sql`is_monitored = 1` : sql`TRUE`
  const monitored = sql`SELECT count(*) FROM ${sql.raw(`monitored_${kind}s`)} WHERE org_id = ${org_id} AND ${isMonitored}`
  return refuseBeyond(monitored, maxMonitored, 'watchlist')
}

export function orTooManyMonitored(error: unknown): never {
  if (!isAborted(error, 'watchlist')) throw error
  const limit = maxMonitored.toLocaleString('en-US')
  throw overQuota(
    `An organization monitors at most ${limit} vendors, and as many products, packages, vulnerabilities or bulletins: remove some first`,
  )
}
