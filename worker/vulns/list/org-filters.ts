import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal } from '../../db/values'
import type { DecisionScope } from '../../domain/decisions/decision-scope'
import { newComparison } from '../../domain/query/ast'
import { shared } from '../../schema/vulns'
import { dueDay, followsKev } from '../../watchlist/due-days'
import { concernRank, idsInGroup, isInGroup, isMonitored } from '../../watchlist/monitored'
import { allHold, flagBy, indexed, inKev, isOnDay, isSnoozed } from './conditions'
import type { Filter } from './filters'
import type { Request } from './request'
import { newLists } from './sorted-lists'

export const monitored = flagBy(({ org_id }) => isMonitored(org_id), {
  ids: ({ org_id }) => sql`SELECT o.vuln_id AS id FROM org_vulns o WHERE o.org_id = ${org_id}`,
  lists: ({ org_id }) => newLists('monitored', [org_id]),
})

export const group: Filter = {
  condition: ({ value }, { org_id }) => isInGroup(literal(org_id), literal(String(value)), sql`vulns.id`),
  ids: ([{ value }], { org_id }) =>
    sql`SELECT g.id FROM (${idsInGroup(org_id, String(value))}) g CROSS JOIN vulns ON vulns.id = g.id WHERE ${shared}`,
}

export const due = {
  condition: (comparison, { org_id, local }) => isOnDay(dueDay(org_id), comparison, local),
  ids: (comparisons, { org_id, local }) => {
    const areWithin = (day: SQL) => allHold(comparisons.map((comparison) => isOnDay(day, comparison, local)))
    const byKev = sql`${inKev} AND ${followsKev(org_id)} AND ${areWithin(sql`vulns.kev_due_at`)}`
    return sql`SELECT id FROM (${indexed('vulns_by_wild', byKev)}
      UNION ALL SELECT o.vuln_id FROM org_vulns o INDEXED BY org_vulns_by_due CROSS JOIN vulns ON vulns.id = o.vuln_id
      WHERE o.org_id = ${literal(org_id)} AND o.due IS NOT NULL AND ${areWithin(sql`o.due`)}
        AND vulns.state <> 'rejected' AND vulns.org_id IS NULL)`
  },
  isWhole: true,
} satisfies Filter

const isPast = newComparison('due', 'today', 'lt')

export const overdue: Filter = flagBy(({ org_id, local }) => isOnDay(dueDay(org_id), isPast, local), {
  ids: (request) => due.ids([isPast], request),
  isWhole: true,
})

const ranks = new Map(Object.entries({ no: 1, maybe: 2, yes: 3 }))

/** `readRequest` asks for `monitored` as well: only monitored vulnerabilities affect an organization. */
export const affects: Filter = {
  condition: ({ value }, { org_id }) => sql`${concernRank(org_id)} = ${ranks.get(String(value))}`,
  cost: 1,
}

const decided = (org_id: number, scope: DecisionScope, is: SQL) =>
  sql`SELECT s.vuln_id AS id FROM decisions s WHERE s.org_id = ${org_id} AND s.inventory_id = 0 AND s.scope = ${literal(scope)} AND ${is}`
const stated = (org_id: number, is: SQL) => decided(org_id, 'vulnerability', is)

/** `undefined` finds vulnerabilities without a status. */
export const status: Filter = {
  condition: ({ value }, { org_id }) =>
    value === 'undefined'
      ? sql`vulns.id NOT IN (${stated(org_id, sql`s.verdict <> 'undefined'`)})`
      : sql`vulns.id IN (${stated(org_id, sql`s.verdict = ${literal(String(value))}`)})`,
  ids: ([{ value }], { org_id }) =>
    value === 'undefined' ? undefined : stated(org_id, sql`s.verdict = ${literal(String(value))}`),
}

/** `me` is the caller, `nobody` finds unassigned ones; anything else is a username. */
function assigned(name: string, { org_id, user_id }: Request) {
  const whose =
    name === 'me' ? sql`${user_id ?? null}` : sql`(SELECT u.id FROM users u WHERE lower(u.username) = ${literal(name)})`
  return decided(org_id, 'assignee', name === 'nobody' ? sql`s.owner_id IS NOT NULL` : sql`s.owner_id = ${whose}`)
}

export const assignee: Filter = {
  condition: ({ value }, request) =>
    sql`vulns.id ${value === 'nobody' ? sql`NOT IN` : sql`IN`} (${assigned(String(value), request)})`,
  ids: ([{ value }], request) => (value === 'nobody' ? undefined : assigned(String(value), request)),
}

export const snoozed = flagBy(isSnoozed)
