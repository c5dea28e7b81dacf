import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import type { Field } from '../../domain/query/fields'
import { isDescribed, isInKev, shared } from '../../schema/vulns'
import { dueDay, followsKev } from '../../watchlist/due-days'
import { idsInGroup, isInGroup, isMonitored } from '../../watchlist/monitored'
import type { VulnSort } from '../contract'
import { allHold, columnOfVuln, compareDate, isDueWithin, isFlag, isMetric, isNumber, isText } from './conditions'
import { linkBy } from './link-filters'
import { lookupKey } from './lookups'
import type { VectorField } from './lookups'
import { vendorOfCpe } from './named-items'
import type { Request } from './request'
import { affects, exploitedBy, fixable, inSeverity } from './judged-filters'
import { newLists } from './sorted-lists'
import type { SortedLists } from './sorted-lists'
import { assignee, snoozed, status } from './triage-filters'
import { hasWords, textSays, wordsOfComparison } from './words'
import type { Words } from './words'

/** How the worker answers a field of domain/query/fields; nothing else knows what a field means in SQL. */
export type Filter = {
  /** A condition on the row of `vulns`. NULL counts as false, so NOT makes it true. */
  condition: (comparison: Comparison, request: Request) => SQL
  /** From an index: the ids of all shared vulnerabilities that fit the comparisons of the field, some several times, and perhaps a few others. */
  ids?: (comparisons: Comparison[], request: Request) => SQL | undefined
  /** All these ids fit, and each comes once: what everybody sees and nothing else is in the index. */
  isWhole?: boolean
  /** About how many rows the condition reads beside the row of `vulns`. */
  cost?: number
  /** The lists that hold these and nothing else, newest first. */
  lists?: (comparisons: Comparison[], request: Request) => SortedLists | undefined
  /** The words for the full-text index, and the conditions that its hits must still meet. */
  words?: (comparison: Comparison) => Words | undefined
  /** Selects the stored number as `count`; no row means that none is stored. */
  count?: (comparison: Comparison, request: Request) => SQL | undefined
  /** It names one vulnerability, which is then shown even if it was rejected. */
  isName?: (comparison: Comparison) => boolean
  /**
   * How lists are sorted by the field: by keys that an index has, then by the columns `following` in it; or true values before the
   * others. Without a second key, `ties` sort equal rows, by an index of their own.
   */
  order?: { keys: SQL[]; index?: string; following?: VulnSort[]; ties?: { keys: SQL[]; index: string } } | 'flag'
}

type Condition = Filter['condition']

const indexed = (index: string, condition: SQL) =>
  sql`SELECT vulns.id FROM vulns INDEXED BY ${sql.raw(index)} WHERE ${shared} AND ${condition}`

const byIndex = (index: string, condition: Condition): Filter => ({
  condition,
  ids: (comparisons, request) => indexed(index, allHold(comparisons.map((one) => condition(one, request)))),
  isWhole: true,
})

const equals = ({ op }: Comparison) => op === 'eq'

const numberBy = (name: string): Filter => ({
  ...byIndex(`vulns_by_${name}`, (comparison) => isNumber(columnOfVuln(name), comparison)),
  order: { keys: [columnOfVuln(name)], index: `vulns_by_${name}` },
})

const fits = ({ op, value }: Comparison, number: number) =>
  number === value ? ['eq', 'gte', 'lte'].includes(op) : op !== 'eq' && op.startsWith('g') === number > Number(value)

/** A number up to `max` in `steps` per whole: each value has a list of its own. */
function scaleBy(name: 'score' | 'cvss' | 'cvss3' | 'cvss4', max: number, steps: number) {
  const values = Array.from({ length: max * steps + 1 }, (_, at) => at / steps)
  const lists: Filter['lists'] = (comparisons) => {
    const fitting = values.filter((value) => comparisons.every((one) => fits(one, value)))
    return newLists(name, sql`SELECT item FROM ${valuesTable(fitting)}`)
  }
  const order = { keys: [columnOfVuln(name)], index: `vulns_by_${name}`, following: ['updated_at'] as VulnSort[] }
  return { ...numberBy(name), lists, order }
}

const dateBy = (name: string, index: string): Filter => ({
  ...byIndex(index, (comparison, { now }) => compareDate(columnOfVuln(name), comparison, now)),
  order: { keys: [columnOfVuln(name)], index },
})

/** A flag whose index holds the rows where it is set. */
function flagBy(name: string, index: string): Filter {
  const condition: Condition = (comparison) => isFlag(columnOfVuln(name), comparison)
  return {
    condition,
    ids: ([comparison], request) =>
      comparison?.value === true ? indexed(index, condition(comparison, request)) : undefined,
    isWhole: true,
    order: 'flag',
  }
}

const metricBy = (column: 'access' | 'impact', place: number) =>
  byIndex(`vulns_by_${column}`, (comparison) => isMetric(column, place, comparison))

/** There are few different vectors: we look up those that hold a part before we read the list. */
function vectorBy(name: VectorField): Filter {
  const column = columnOfVuln(name)
  return {
    condition: (comparison) => isText(column, comparison),
    ids: ([comparison], { vectors }) => {
      const texts = comparison && vectors.get(lookupKey(comparison))
      return texts && indexed(`vulns_by_${name}`, sql`${column} IN (SELECT item FROM ${valuesTable(texts)})`)
    },
    isWhole: true,
  }
}

const [ofVendor, ofProduct, ofPackage] = [linkBy('vendor'), linkBy('product'), linkBy('package')]
const ofCpe = ({ value }: Comparison) => (vendorOfCpe(String(value)) ? ofVendor : ofProduct)
/** A CPE name with a version finds what affects that version, one without finds all of its product. */
const cpe: Filter = {
  condition: (comparison, request) => {
    const affecting = request.affecting.get(String(comparison.value))
    return affecting ? sql`vulns.id IN ${valuesTable(affecting.ids)}` : ofCpe(comparison).condition(comparison, request)
  },
  cost: ofProduct.cost ?? 0,
  ids: ([comparison], request) => {
    const affecting = request.affecting.get(String(comparison?.value))
    if (affecting) return sql`SELECT item AS id FROM ${valuesTable(affecting.ids)}`
    return comparison && ofCpe(comparison).ids?.([comparison], request)
  },
  lists: ([comparison], request) =>
    !comparison || request.affecting.has(String(comparison.value))
      ? undefined
      : ofCpe(comparison).lists?.([comparison], request),
}

const cveid: Filter = {
  condition: (comparison, request) =>
    comparison.op === 'eq' ? isText(sql`vulns.cveid`, comparison) : saysWords(comparison, request),
  ids: ([comparison]) => {
    if (!comparison || (comparison.op !== 'eq' && wordsOfComparison(comparison))) return undefined
    return sql`SELECT vulns.id FROM vulns WHERE ${comparison.op === 'eq' ? isText(sql`vulns.cveid`, comparison) : textSays(comparison)}`
  },
  words: (comparison) => (comparison.op === 'eq' ? undefined : wordsOfComparison(comparison)),
  isName: equals,
  order: { keys: [sql`vulns.cveid`], index: 'vulns_by_cveid' },
}

const summary: Filter = {
  condition: saysWords,
  words: wordsOfComparison,
  order: { keys: [sql`substr(vulns.summary, 1, 4)`, sql`vulns.summary`], index: 'vulns_by_summary' },
}

// The index has no punctuation, so hits are compared with the text, too.
function saysWords(comparison: Comparison, request: Request) {
  const words = wordsOfComparison(comparison)
  return words ? sql`(${textSays(comparison)} AND ${hasWords(words, request)})` : textSays(comparison)
}

const monitored: Filter = {
  condition: ({ value }, { org_id }) => (value === true ? isMonitored(org_id) : sql`NOT ${isMonitored(org_id)}`),
  ids: ([comparison], { org_id }) =>
    comparison?.value === true ? sql`SELECT o.vuln_id AS id FROM org_vulns o WHERE o.org_id = ${org_id}` : undefined,
  lists: ([comparison], { org_id }) =>
    comparison?.value === true ? newLists('monitored', sql`SELECT ${org_id}`) : undefined,
  order: 'flag',
}

const group: Filter = {
  condition: ({ value }, { org_id }) => isInGroup(sql`${org_id}`, sql`${String(value)}`, sql`vulns.id`),
  ids: ([comparison], { org_id }) =>
    comparison &&
    sql`SELECT g.id FROM (${idsInGroup(org_id, String(comparison.value))}) g CROSS JOIN vulns ON vulns.id = g.id WHERE ${shared}`,
}

const idsInKev = indexed('vulns_by_wild', sql`vulns.is_in_the_wild = 1 AND ${isInKev} = 1`)

const kev: Filter = {
  condition: ({ value }) => sql`vulns.kev_added_at IS ${value === true ? sql`NOT NULL` : sql`NULL`}`,
  ids: ([comparison]) => (comparison?.value === true ? idsInKev : undefined),
  isWhole: true,
  lists: ([comparison]) => (comparison?.value === true ? newLists('wild', sql`SELECT 1`) : undefined),
}

const due: Filter = {
  condition: (comparison, { org_id, now }) => isDueWithin(dueDay(org_id), comparison, now),
  ids: (comparisons, { org_id, now }) => {
    const areWithin = (day: SQL) => allHold(comparisons.map((one) => isDueWithin(day, one, now)))
    return sql`SELECT id FROM (${idsInKev} AND ${followsKev(org_id)} AND ${areWithin(sql`vulns.kev_due_at`)}
      UNION ALL SELECT o.vuln_id FROM org_vulns o INDEXED BY org_vulns_by_due CROSS JOIN vulns ON vulns.id = o.vuln_id
      WHERE o.org_id = ${literal(org_id)} AND o.due IS NOT NULL AND ${areWithin(sql`o.due`)}
        AND vulns.state <> 'rejected' AND vulns.org_id IS NULL)`
  },
  isWhole: true,
}

const overdueIn = (comparison: Comparison): Comparison => ({ ...comparison, field: 'due', op: 'lt', value: 'today' })

const overdue: Filter = {
  condition: (comparison, request) => isKnownFlag(comparison, due.condition(overdueIn(comparison), request)),
  ids: ([comparison], request) =>
    comparison?.value === true ? due.ids?.([overdueIn(comparison)], request) : undefined,
  isWhole: true,
}

const isKnownFlag = ({ value }: Comparison, condition: SQL) =>
  sql`(${condition}) IS ${value === true ? sql`TRUE` : sql`NOT TRUE`}`

const ransomware: Filter = {
  condition: (comparison) => isKnownFlag(comparison, sql`vulns.kev_ransomware = 1`),
  ids: ([comparison]) => (comparison?.value === true ? sql`${idsInKev} AND kev_ransomware = 1` : undefined),
  isWhole: true,
}

const risen: Filter = {
  condition: ({ value }, request) =>
    sql`vulns.id ${value === true ? sql`IN` : sql`NOT IN`} ${valuesTable(request.risen)}`,
  ids: ([comparison], request) =>
    comparison?.value === true ? sql`SELECT item AS id FROM ${valuesTable(request.risen)}` : undefined,
}

const wild: Filter = {
  ...flagBy('is_in_the_wild', 'vulns_by_wild'),
  // What is in KEV, and what is not.
  lists: ([comparison]) =>
    comparison?.value === true ? newLists('wild', sql`SELECT 0 UNION ALL SELECT 1`) : undefined,
}

const exploitable: Filter = {
  ...flagBy('is_exploitable', 'vulns_by_exploitable'),
  lists: ([comparison]) => (comparison?.value === true ? newLists('exploitable', sql`SELECT 0`) : undefined),
}

const byScore = scaleBy('score', 100, 1)

export const filters: Record<Field, Filter> = {
  id: {
    condition: ({ value }) => sql`vulns.id = ${value}`,
    ids: ([comparison]) => sql`SELECT ${comparison?.value} AS id`,
    isName: equals,
    order: { keys: [sql`vulns.id`] },
  },
  cveid,
  summary,
  vendor: ofVendor,
  product: ofProduct,
  package: ofPackage,
  vendor_id: ofVendor,
  product_id: ofProduct,
  package_id: ofPackage,
  cpe,
  cwe: byIndex('vulns_by_cwe', ({ value }) => sql`vulns.cwe_id = ${value}`),
  score: {
    ...byScore,
    order: {
      ...byScore.order,
      ties: { keys: [isDescribed, isInKev, sql`vulns.epss`, sql`vulns.published`], index: 'vulns_by_rank' },
    },
  },
  cvss: scaleBy('cvss', 10, 10),
  cvss3: scaleBy('cvss3', 10, 10),
  cvss4: scaleBy('cvss4', 10, 10),
  epss: numberBy('epss'),
  exploit_count: numberBy('exploit_count'),
  cvss_vector: vectorBy('cvss_vector'),
  cvss3_vector: vectorBy('cvss3_vector'),
  exploitable,
  confirmed: flagBy('is_confirmed', 'vulns_by_marks'),
  news: flagBy('is_in_the_news', 'vulns_by_marks'),
  wild,
  kev,
  exploited_by: exploitedBy,
  ransomware,
  due,
  overdue,
  severity: inSeverity,
  fixable,
  risen,
  monitored,
  affects,
  group,
  status,
  assignee,
  snoozed,
  published: dateBy('published', 'vulns_by_published'),
  updated: dateBy('updated_at', 'vulns_by_updated'),
  access_vector: metricBy('access', 0),
  access_complexity: metricBy('access', 1),
  access_authentication: metricBy('access', 2),
  impact_confidentiality: metricBy('impact', 0),
  impact_integrity: metricBy('impact', 1),
  impact_availability: metricBy('impact', 2),
}
