import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Comparison, Query } from '../../domain/query/ast'
import { datesOf } from '../../domain/query/dates'
import type { Operator } from '../../domain/query/fields'
import { ftsPhrase } from '../../domain/query/words'
import { isMonitored } from '../../watchlist/monitored'
import { accessIs } from './access-sql'
import { packagesNamed, productsNamed, productsOfCpe, vendorsNamed } from './named-items'
import { vulns } from '../../schema/vulns'

export type Asker = { org_id: number; now: Date }
/**
 * What was found out before: the vulnerabilities that affect the version of a CPE name, and whether rows come one by one
 * from somewhere else (`isEach`), so that nothing need be gathered to find them by.
 */
export type Answers = { affecting: Map<string, number[]>; isEach?: boolean }

/**
 * A query as a condition on the row of `vulns`, which the select must not rename. It is true or false, never null: what
 * has no score does not have a score above 9, and so does fit NOT score>9.
 */
export function conditionOf(query: Query, asker: Asker & Answers): SQL {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const terms = query.terms.map((term) => conditionOf(term, asker))
      return sql`(${sql.join(terms, query.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return sql`(${conditionOf(query.term, asker)}) is not true`
    case 'text':
      return foundBy(ftsPhrase(query.text) ?? '""')
    case 'compare':
      return comparisonOf(query, asker)
  }
}

/** The rows that the full-text index finds. */
export const foundBy = (match: string) => sql`vulns.id in (select rowid from vulns_fts where vulns_fts match ${match})`

function comparisonOf(comparison: Comparison, { org_id, now, affecting, isEach }: Asker & Answers): SQL {
  const { field, op, value } = comparison
  const text = String(value)
  switch (field) {
    case 'kev':
      return sql`vulns.kev_added_at is ${value === true ? sql`not null` : sql`null`}`
    case 'exploitable':
    case 'confirmed':
    case 'news':
    case 'wild':
      // Spelled out, as a partial index is only used for what the statement itself says.
      return sql`${flags[field]} = ${value === true ? sql`1` : sql`0`}`
    case 'monitored':
      return value === true ? isMonitored(org_id) : sql`not ${isMonitored(org_id)}`
    case 'id':
      return sql`vulns.id = ${value}`
    case 'score':
    case 'cvss':
    case 'cvss3':
    case 'cvss4':
    case 'epss':
    case 'exploit_count':
      return sql`${vulns[field]} ${signs[op]} ${value}`
    case 'published':
      return dateIs(sql`${vulns.published}`, op, { text, now })
    case 'updated':
      return dateIs(sql`${vulns.updated_at}`, op, { text, now })
    case 'cveid':
    case 'summary':
      return op === 'eq' && field === 'cveid' ? sql`vulns.cveid = ${text}` : wordsAre({ column: field, op, text })
    case 'cvss_vector':
    case 'cvss3_vector':
      return textIs(sql`${vulns[field]}`, op, text)
    case 'cwe':
      return sql`vulns.cwe_id = ${text}`
    case 'status':
      return statusIs(text, org_id)
    case 'vendor':
    case 'product':
    case 'package':
    case 'vendor_id':
    case 'product_id':
    case 'package_id':
      return isLinked(linkOf({ ...comparison, field }), isEach)
    case 'cpe':
      // Without a version all vulnerabilities of the product are meant.
      return isAmong(affecting.get(text)) ?? isLinked(linkOf({ ...comparison, field }), isEach)
    default:
      return accessIs(field, text)
  }
}

const flags = {
  exploitable: vulns.is_exploitable,
  confirmed: vulns.is_confirmed,
  news: vulns.is_in_the_news,
  wild: vulns.is_in_the_wild,
}

export const signs: Record<Operator, SQL> = {
  eq: sql`=`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
  like: sql`=`,
  match: sql`=`,
}

type Link = { table: SQL; column: SQL; ids: SQL }
const linkFields = ['vendor', 'product', 'package', 'cpe', 'vendor_id', 'product_id', 'package_id'] as const
type LinkField = (typeof linkFields)[number]
export const isLinkField = (field: string): field is LinkField => linkFields.some((one) => one === field)

/** What vulnerabilities are linked to that a comparison asks for. */
export function linkOf({ field, op, value }: Comparison & { field: LinkField }): Link {
  const text = String(value)
  const [products, packages] = [sql`vuln_products`, sql`vuln_packages`]
  switch (field) {
    case 'vendor':
      return { table: products, column: sql`vendor_id`, ids: vendorsNamed(op, text) }
    case 'product':
      return { table: products, column: sql`product_id`, ids: productsNamed(op, text) }
    case 'cpe':
      return { table: products, column: sql`product_id`, ids: productsOfCpe(text) }
    case 'package':
      return { table: packages, column: sql`package_id`, ids: packagesNamed(op, text) }
    case 'package_id':
      return { table: packages, column: sql`package_id`, ids: sql`${value}` }
    default:
      return { table: products, column: sql.raw(field), ids: sql`${value}` }
  }
}

const isLinked = ({ table, column, ids }: Link, isEach = false) =>
  isEach
    ? sql`exists (select 1 from ${table} l where l.vuln_id = vulns.id and l.${column} in (${ids}))`
    : sql`vulns.id in (select l.vuln_id from ${table} l where l.${column} in (${ids}))`

const isAmong = (ids: number[] | undefined) =>
  ids && sql`vulns.id in (select value from json_each(${JSON.stringify(ids)}))`

function dateIs(column: SQL, op: Operator, { text, now }: { text: string; now: Date }) {
  const { from, until } = datesOf(op, text, now)
  const sides = [
    from === undefined ? undefined : sql`${column} >= ${from / 1000}`,
    until === undefined ? undefined : sql`${column} < ${until / 1000}`,
  ].filter((side) => side !== undefined)
  return sql`(${sql.join(sides, sql` and `)})`
}

/** Whether a column is a text, or has it in it. */
export function textIs(column: SQL, op: Operator, text: string) {
  if (op === 'eq') return sql`${column} = ${text}`
  return op === 'match' ? sql`instr(${column}, ${text}) > 0` : sql`instr(lower(${column}), ${text.toLowerCase()}) > 0`
}

/** Words that a row must hold in its CVE id or in its summary. */
export type Words = { column: 'cveid' | 'summary'; op: Operator; text: string }

export function wordsOf(query: Query): Words | undefined {
  if (query.kind !== 'compare' || (query.field !== 'summary' && query.field !== 'cveid')) return undefined
  if (query.field === 'cveid' && query.op === 'eq') return undefined
  return { column: query.field, op: query.op, text: String(query.value) }
}

// The index finds what begins at a word; then the text itself is compared, for what is no letter or digit.
function wordsAre(words: Words) {
  const match = matchOf(words)
  return match ? sql`(${foundBy(match)} and ${textSays(words)})` : textSays(words)
}

/** What the full-text index is asked for words; undefined where another index is better, or they hold no word. */
export function matchOf({ column, op, text }: Words) {
  if (beginningOf({ column, op, text })) return undefined
  // All CVE ids have the same first word.
  const phrase = ftsPhrase(column === 'cveid' ? text.replace(/^cve-?/i, '') : text)
  return phrase ? `${column} : ${phrase}${op === 'eq' ? '' : ' *'}` : undefined
}

/** Whether the text itself says so. */
export function textSays({ column, op, text }: Words) {
  const begun = beginningOf({ column, op, text })
  return begun ? cveBegins(`CVE-${begun}`) : textIs(sql`${vulns[column]}`, op, text)
}

function beginningOf({ column, op, text }: Words) {
  const begun = column === 'cveid' && op !== 'eq' ? /^(?:CVE-)?(\d{4}-\d+)$/i.exec(text)?.[1] : undefined
  return begun && (op === 'like' || !text.startsWith('cve')) ? begun : undefined
}

const cveBegins = (id: string) => sql`(vulns.cveid >= ${id} and vulns.cveid < ${`${id}:`})`

function statusIs(status: string, org_id: number) {
  const stated = (is: SQL) => sql`(select s.vuln_id from vuln_statuses s where s.org_id = ${org_id} and ${is})`
  if (status === 'undefined') return sql`vulns.id not in ${stated(sql`s.status <> 'undefined'`)}`
  return sql`vulns.id in ${stated(sql`s.status = ${status}`)}`
}
