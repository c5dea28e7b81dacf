import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal } from '../../db/values'
import type { DecisionScope } from '../../domain/decisions/decision-scope'
import { isSnoozed } from './conditions'
import type { Filter } from './filters'
import type { Request } from './request'

const decided = (org_id: number, scope: DecisionScope, is: SQL) =>
  sql`SELECT s.vuln_id AS id FROM decisions s WHERE s.org_id = ${org_id} AND s.inventory_id = 0 AND s.scope = ${literal(scope)} AND ${is}`
const stated = (org_id: number, is: SQL) => decided(org_id, 'vulnerability', is)

/** `undefined` finds vulnerabilities without a status. */
export const status: Filter = {
  condition: ({ value }, { org_id }) =>
    value === 'undefined'
      ? sql`vulns.id NOT IN (${stated(org_id, sql`s.verdict <> 'undefined'`)})`
      : sql`vulns.id IN (${stated(org_id, sql`s.verdict = ${value}`)})`,
  ids: ([comparison], { org_id }) =>
    comparison?.value === 'undefined' ? undefined : stated(org_id, sql`s.verdict = ${comparison?.value}`),
}

/** `me` is the caller, `nobody` finds unassigned ones; anything else is a username. */
function assigned(name: string, { org_id, user_id }: Request) {
  const whose =
    name === 'me' ? sql`${user_id ?? null}` : sql`(SELECT u.id FROM users u WHERE lower(u.username) = ${name})`
  return decided(org_id, 'assignee', name === 'nobody' ? sql`s.owner_id IS NOT NULL` : sql`s.owner_id = ${whose}`)
}

export const assignee: Filter = {
  condition: ({ value }, request) =>
    sql`vulns.id ${value === 'nobody' ? sql`NOT IN` : sql`IN`} (${assigned(String(value), request)})`,
  ids: ([comparison], request) =>
    comparison && comparison.value !== 'nobody' ? assigned(String(comparison.value), request) : undefined,
}

export const snoozed: Filter = {
  condition: ({ value }, request) => (value === true ? isSnoozed(request) : sql`NOT ${isSnoozed(request)}`),
}
