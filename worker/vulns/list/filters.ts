import { sql, type SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import { claimants, isNamedCatalogue } from '../../domain/names/catalogues'
import type { Comparison } from '../../domain/query/ast'
import type { Field } from '../../domain/query/fields'
import { severities } from '../../domain/scores/severity'
import { severityRank } from '../../watchlist/due-days'
import { shared } from '../../schema/vulns'
import { rangeBits } from '../../domain/versions/stored-ranges'
import {
  allHold,
  columnOfVuln,
  flagBy,
  idsAmong,
  indexed,
  inKev,
  isAtTime,
  isMetric,
  isNumber,
  isText,
  oneHolds,
} from './conditions'
import { composite, leastEpss, leastPercentile } from '../epss'
import * as joined from './joined-filters'
import type { Request } from './request'
import { newLists, type SortedLists } from './sorted-lists'
import { hasWords, textSays, wordsOfAdvisory, wordsOfComparison, type Words } from './words'

export type Comparisons = [Comparison, ...Comparison[]]

/** How the worker answers a field of domain/query/fields; nothing else knows what a field means in SQL. */
export type Filter = {
  /** A condition on the row of `vulns`. NULL counts as false, so NOT makes it true. */
  condition: (comparison: Comparison, request: Request) => SQL
  /** From an index: the ids of all shared vulnerabilities that fit the comparisons of the field, some several times, and perhaps a few others. */
  ids?: (comparisons: Comparisons, request: Request) => SQL | undefined
  /** All these ids fit, and each comes once: the index holds all shared vulnerabilities and nothing else. */
  isWhole?: boolean
  /** About how many rows the condition reads beside the row of `vulns`. */
  cost?: number | undefined
  /** The lists that hold these and nothing else, newest first. */
  lists?: (comparisons: Comparisons, request: Request) => SortedLists | undefined
  /** Selects, as `id`, what is to be looked up before the list: which items have a name, or which vectors a part. */
  lookUp?: ((comparison: Comparison) => SQL | undefined) | undefined
  /** The words for the full-text index, and the conditions that its hits must still meet. */
  words?: (comparison: Comparison) => Words | undefined
  /** Selects the stored number as `count`. */
  count?: (comparison: Comparison, request: Request) => SQL | undefined
  /** It names one vulnerability, which is then shown even if it was rejected. */
  isName?: (comparison: Comparison) => boolean
}

const byIndex = (index: string, condition: Filter['condition']): Filter => ({
  condition,
  ids: (comparisons, request) =>
    indexed(index, allHold(comparisons.map((comparison) => condition(comparison, request)))),
  isWhole: true,
})

type Compare = (column: SQL, comparison: Comparison, request: Request) => SQL

/** By a column with an index. */
function columnBy(name: string, compare: Compare, index = `vulns_by_${name}`): Filter {
  const column = columnOfVuln(name)
  return byIndex(index, (comparison, request) => compare(column, comparison, request))
}

const fits = ({ op, value }: Comparison, number: number) =>
  number === value ? ['eq', 'gte', 'lte'].includes(op) : op !== 'eq' && op.startsWith('g') === number > Number(value)

/** A number up to `max` in `steps` per whole: each value has a list of its own. */
function scaleBy(name: 'score' | 'cvss' | 'cvss3' | 'cvss4', max: number, steps: number) {
  const values = Array.from({ length: max * steps + 1 }, (_, at) => at / steps)
  const lists: Filter['lists'] = (comparisons) =>
    newLists(
      name,
      values.filter((value) => comparisons.every((comparison) => fits(comparison, value))),
    )
  return { ...columnBy(name, isNumber), lists }
}

/** An index holds what fits `inIndex`; SQLite uses it only for a literal. */
const flagInIndex = (isSet: SQL, index: string, lists?: SortedLists, inIndex = isSet) =>
  flagBy(() => isSet, {
    ids: () => indexed(index, inIndex),
    isWhole: true,
    lists: lists && (() => lists),
  })
const isSet = (name: string) => sql`${columnOfVuln(name)} = 1`

const metricBy = (column: 'access' | 'impact', place: number) =>
  byIndex(`vulns_by_${column}`, (comparison) => isMetric(column, place, comparison))

/** There are few different vectors: we look up those that hold a part before we read the list. */
function vectorBy(name: 'cvss_vector' | 'cvss3_vector'): Filter {
  const [column, index] = [columnOfVuln(name), `vulns_by_${name}`]
  const next = (condition: SQL) =>
    sql`SELECT min(${column}) FROM vulns INDEXED BY ${sql.raw(index)} WHERE ${shared} AND ${condition}`
  return {
    condition: (comparison) => isText(column, comparison),
    // Seeks from one vector to the next.
    lookUp: (comparison) =>
      comparison.op === 'eq'
        ? undefined
        : sql`WITH RECURSIVE known(id) AS (
            ${next(sql`${column} IS NOT NULL`)} UNION ALL SELECT (${next(sql`${column} > known.id`)}) FROM known WHERE known.id IS NOT NULL
          ) SELECT id FROM known WHERE id IS NOT NULL AND ${isText(sql`id`, comparison)}`,
    ids: ([comparison], { named }) => {
      const texts = comparison.op === 'eq' ? [String(comparison.value)] : named.get(joined.lookupKey(comparison))
      return texts && indexed(index, sql`${column} IN (SELECT item FROM ${valuesTable(texts)})`)
    },
    isWhole: true,
  }
}

const equals = ({ op }: Comparison) => op === 'eq'

const cveid: Filter = {
  condition: (comparison, request) =>
    comparison.op === 'eq' ? isText(sql`vulns.cveid`, comparison) : saysWords(comparison, request),
  ids: ([comparison]) => {
    if (comparison.op !== 'eq' && wordsOfComparison(comparison)) return undefined
    return sql`SELECT vulns.id FROM vulns WHERE ${comparison.op === 'eq' ? isText(sql`vulns.cveid`, comparison) : textSays(comparison)}`
  },
  words: (comparison) => (comparison.op === 'eq' ? undefined : wordsOfComparison(comparison)),
  isName: equals,
}

// The index has no punctuation, so hits are compared with the text, too.
function saysWords(comparison: Comparison, request: Request) {
  const words = wordsOfComparison(comparison)
  return words ? sql`(${textSays(comparison)} AND ${hasWords(words, request)})` : textSays(comparison)
}

const severity: Filter = {
  condition: ({ value }) => sql`${severityRank('vulns')} = ${literal(severities.findIndex((name) => name === value))}`,
}

/** An affected range ends before a version. A source that calls that no fix says so in the range. Older rows hold objects. */
const endsIn = (table: SQL) => sql`EXISTS (SELECT 1 FROM ${table} a CROSS JOIN json_each(a.ranges) r
  WHERE a.vuln_id = vulns.id AND CASE r.type WHEN 'array' THEN (r.value ->> 0) & ${literal(noFix | rangeBits.lt)} = ${literal(rangeBits.lt)}
  WHEN 'object' THEN ${allHold([
    sql`r.value ->> 'lt' IS NOT NULL`,
    sql`r.value ->> 'status' IS NULL`,
    sql`r.value ->> 'is_fix_unstated' IS NULL`,
  ])} END)`
const noFix = rangeBits.unknown | rangeBits.unaffected | rangeBits.is_fix_unstated

const isBy = (value: unknown) => {
  const by = String(value)
  if (by === 'any') return sql`TRUE`
  if (isNamedCatalogue(by)) return sql`c.catalogue = ${literal(by)}`
  return sql`c.catalogue NOT IN (SELECT item FROM ${valuesTable(claimants)})`
}

/** The claims are some thousands, and read whole. */
const exploitedBy: Filter = {
  condition: ({ value }) =>
    sql`EXISTS (SELECT 1 FROM exploitation_claims c WHERE c.vuln_id = vulns.id AND c.is_exploited = 1 AND ${isBy(value)})`,
  ids: ([{ value }]) =>
    sql`SELECT DISTINCT vulns.id FROM exploitation_claims c
      CROSS JOIN vulns ON vulns.id = c.vuln_id WHERE c.is_exploited = 1 AND ${isBy(value)} AND ${shared}`,
  isWhole: true,
  cost: 2,
}

const percentile = columnOfVuln('epss_percentile')

/** No index holds percentiles; that of EPSS narrows high ones down. Not whole: it reads rows that do not fit, too. */
const epss_percentile: Filter = {
  condition: (comparison) => isNumber(percentile, comparison),
  ids: (comparisons, { percentiles }) => {
    const least = leastEpss(percentiles, Math.max(...comparisons.map(leastPercentile)))
    const fitting = comparisons.map((comparison) => isNumber(percentile, comparison))
    return least > 0 ? indexed('vulns_by_epss', allHold([sql`vulns.epss >= ${least}`, ...fitting])) : undefined
  },
}

/** One, or all that an advisory names. */
const idsIn = (value: Comparison['value']) => String(value).split(',').map(Number)

export const filters: Record<Field, Filter> = {
  id: {
    condition: ({ value }) => sql`vulns.id IN ${valuesTable(idsIn(value))}`,
    ids: ([{ value }]) => idsAmong(idsIn(value)),
    isName: ({ value }) => idsIn(value).length === 1,
  },
  cveid,
  summary: {
    condition: saysWords,
    words: wordsOfComparison,
  },
  vendor: joined.ofVendor,
  product: joined.ofProduct,
  package: joined.ofPackage,
  vendor_id: joined.ofVendor,
  product_id: joined.ofProduct,
  package_id: joined.ofPackage,
  cpe: joined.cpe,
  advisory: {
    condition: (comparison, request) => hasWords(wordsOfAdvisory(comparison), request),
    words: wordsOfAdvisory,
  },
  cwe: byIndex('vulns_by_cwe', ({ value }) => sql`vulns.cwe_id = ${literal(String(value))}`),
  score: scaleBy('score', 100, 1),
  cvss: scaleBy('cvss', 10, 10),
  cvss3: scaleBy('cvss3', 10, 10),
  cvss4: scaleBy('cvss4', 10, 10),
  epss: columnBy('epss', isNumber),
  epss_percentile,
  composite: { condition: (comparison) => isNumber(composite, comparison), cost: 14 },
  exploit_count: columnBy('exploit_count', isNumber),
  cvss_vector: vectorBy('cvss_vector'),
  cvss3_vector: vectorBy('cvss3_vector'),
  exploitable: flagInIndex(isSet('is_exploitable'), 'vulns_by_exploitable', newLists('exploitable', [0])),
  confirmed: flagInIndex(isSet('is_confirmed'), 'vulns_by_marks'),
  news: flagInIndex(isSet('is_in_the_news'), 'vulns_by_marks'),
  // One list for KEV, one for all others.
  wild: flagInIndex(isSet('is_in_the_wild'), 'vulns_by_wild', newLists('wild', [0, 1])),
  kev: flagInIndex(sql`vulns.kev_added_at IS NOT NULL`, 'vulns_by_wild', newLists('wild', [1]), inKev),
  exploited_by: exploitedBy,
  ransomware: flagInIndex(
    isSet('kev_ransomware'),
    'vulns_by_wild',
    undefined,
    sql`${inKev} AND ${isSet('kev_ransomware')}`,
  ),
  due: joined.due,
  overdue: joined.overdue,
  severity,
  fixable: flagBy(() => oneHolds([endsIn(sql`affected`), endsIn(sql`affected_packages`)]), { cost: 4 }),
  risen: flagBy(({ risen }) => sql`vulns.id IN ${valuesTable(risen)}`, {
    ids: ({ risen }) => idsAmong(risen),
  }),
  monitored: joined.monitored,
  affects: joined.affects,
  group: joined.group,
  status: joined.status,
  assignee: joined.assignee,
  snoozed: joined.snoozed,
  published: columnBy('published', isAtTime),
  updated: columnBy('updated_at', isAtTime, 'vulns_by_updated'),
  access_vector: metricBy('access', 0),
  access_complexity: metricBy('access', 1),
  access_authentication: metricBy('access', 2),
  impact_confidentiality: metricBy('impact', 0),
  impact_integrity: metricBy('impact', 1),
  impact_availability: metricBy('impact', 2),
}
