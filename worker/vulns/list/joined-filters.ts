import { sql, type SQL } from 'drizzle-orm'
import { stamp } from '../../db/time'
import { literal, valuesTable } from '../../db/values'
import type { DecisionScope } from '../../domain/decisions/decision-scope'
import { newComparison, type Comparison } from '../../domain/query/ast'
import type { Operator } from '../../domain/query/fields'
import { isSleeping } from '../../schema/decisions'
import { shared } from '../../schema/vulns'
import { dueDay, followsKev } from '../../watchlist/due-days'
import { concernRank, idsInGroup, isInGroup, isMonitored } from '../../watchlist/monitored'
import { nameHas, packagesNamed, productsNamed, productsOfCpe, vendorOfCpe, vendorsNamed } from '../names'
import { allHold, flagBy, idsAmong, indexed, inKev, isOnDay } from './conditions'
import type { Filter } from './filters'
import type { Request } from './request'
import { newLists } from './sorted-lists'

/** By which what a comparison names is looked up before the list. */
export const lookupKey = ({ field, op, value }: Comparison) => `${field} ${op} ${value}`

const tables = {
  vendor: { links: sql`vuln_products`, item: sql`vendor_id`, names: sql`vendors` },
  product: { links: sql`vuln_products`, item: sql`product_id`, names: sql`products` },
  package: { links: sql`vuln_packages`, item: sql`package_id`, names: sql`packages` },
}

/** Thousands can have a name, or have a part of it. */
const maxIds = 1_000

/** By links to what a name means, or to the number itself. */
function linkBy(kind: keyof typeof tables, selectNamed: (op: Operator, text: string) => SQL): Filter {
  const { links, item, names } = tables[kind]
  const findIds = (comparison: Comparison, { named }: Request) => {
    if (typeof comparison.value === 'number') return [comparison.value]
    const ids = named.get(lookupKey(comparison))?.map(Number)
    return ids && ids.length <= maxIds ? ids : undefined
  }
  const selectNames = (comparison: Comparison, request: Request) => {
    const ids = findIds(comparison, request)
    return ids ? idsAmong(ids) : selectNamed(comparison.op, String(comparison.value))
  }
  return {
    lookUp: ({ op, value }) =>
      typeof value === 'number' ? undefined : sql`${selectNamed(op, String(value))} LIMIT ${maxIds + 1}`,
    condition: (comparison, request) =>
      findIds(comparison, request) || comparison.op === 'eq'
        ? sql`EXISTS (SELECT 1 FROM ${links} l WHERE l.vuln_id = vulns.id AND +l.${item} IN (${selectNames(comparison, request)}))`
        : sql`EXISTS (SELECT 1 FROM ${links} l CROSS JOIN ${names} n ON n.id = l.${item}
            WHERE l.vuln_id = vulns.id AND ${nameHas(String(comparison.value))})`,
    cost: 2,
    // Name by name, so that LIMIT stops the reading.
    ids: ([comparison], request) =>
      sql`SELECT l.vuln_id AS id FROM (${selectNames(comparison, request)}) n CROSS JOIN ${links} l ON l.${item} = n.id AND l.org_id IS NULL`,
    // Thousands of names would each have a list of their own.
    lists: ([comparison], request) => {
      const ids = findIds(comparison, request)
      return ids && newLists(kind, ids)
    },
    count: (comparison, request) => {
      const [id, ...others] = findIds(comparison, request) ?? []
      return id === undefined || others.length || ['like', 'match'].includes(comparison.op)
        ? undefined
        : sql`SELECT n.vulns_count AS count FROM ${names} n WHERE n.id = ${id}`
    },
  }
}

export const [ofVendor, ofProduct, ofPackage] = [
  linkBy('vendor', vendorsNamed),
  linkBy('product', productsNamed),
  linkBy('package', packagesNamed),
]

const namedByCpe = (_: Operator, text: string) => vendorOfCpe(text) ?? productsOfCpe(text)
const [vendorByCpe, productByCpe] = [linkBy('vendor', namedByCpe), linkBy('product', namedByCpe)]
const ofCpe = ({ value }: Comparison) => (vendorOfCpe(String(value)) ? vendorByCpe : productByCpe)
const idsByCpe = ({ value }: Comparison, { affecting }: Request) => affecting.get(String(value))?.ids

/** A CPE name with a version finds what affects that version, one without finds all of its product. */
export const cpe: Filter = {
  lookUp: productByCpe.lookUp,
  condition: (comparison, request) => {
    const ids = idsByCpe(comparison, request)
    return ids ? sql`vulns.id IN ${valuesTable(ids)}` : ofCpe(comparison).condition(comparison, request)
  },
  cost: productByCpe.cost,
  ids: ([comparison], request) => {
    const ids = idsByCpe(comparison, request)
    return ids ? idsAmong(ids) : ofCpe(comparison).ids?.([comparison], request)
  },
  lists: ([comparison], request) =>
    idsByCpe(comparison, request) ? undefined : ofCpe(comparison).lists?.([comparison], request),
}

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

export const snoozed = flagBy(({ org_id, now }) => isSleeping(sql`${org_id}`, sql`vulns.id`, stamp(now)))
