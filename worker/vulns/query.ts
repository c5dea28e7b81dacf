import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { hasFormOfId, parsePhId, readCveId } from '../domain/names/cve'
import { findFamous } from '../domain/names/famous'
import { parsePurl } from '../domain/names/purl'
import { listLeaves, listTerms, newComparison, newGroup, type Comparison, type Query } from '../domain/query/ast'
import { getDefinition } from '../domain/query/fields'
import { params } from '../domain/query/params'
import { maxComparisons, parseQuery } from '../domain/query/parse'
import { parseValue } from '../domain/query/values'
import { invalid } from '../http/errors'
import { VulnQuery, type VulnFilters } from './contract'
import { findWords } from './list/terms'
import { wordsOfSearch } from './list/words'
import { vulnsNamed } from './names'

/** All that an address asks, as one query in which names are found, and the words of its search; undefined where that has no word. */
export async function findQuery(db: Db, given: VulnFilters) {
  const { search = '' } = given
  const named = search ? await findNamed(db, search) : undefined
  const words = search && !named ? wordsOfSearch(search, findFamous(search)) : undefined
  if (search && !named && !words) return undefined
  const query = queryOfFilters(given)
  const terms = [query && (await nameTexts(db, query)), named].flatMap((term) => (term ? withImplied(term) : []))
  return { query: newGroup('and', terms), words }
}

/** Only monitored vulnerabilities affect an organization, and an index has these in order. */
const withImplied = (query: Query): Query[] =>
  listTerms(query).some((term) => term.kind === 'compare' && term.field === 'affects')
    ? [query, newComparison('monitored', true)]
    : [query]

const findNamed = async (db: Db, text: string) => readName(text) ?? (await findAlias(db, text))

/** The texts of a query that name something, read as the search field reads them. */
async function nameTexts(db: Db, query: Query): Promise<Query> {
  if (query.kind === 'text') return (await findNamed(db, query.text)) ?? query
  if (query.kind === 'not') return { kind: 'not', term: await nameTexts(db, query.term) }
  if (query.kind === 'compare') return query
  const terms = await Promise.all(query.terms.map((term) => nameTexts(db, term)))
  return newGroup(query.kind, terms) ?? query
}

/** An id, a CPE name or a purl finds what it names; undefined for words. */
function readName(search: string): Comparison | undefined {
  const term = search.trim()
  const cveid = readCveId(term)
  if (cveid) return newComparison('cveid', cveid)
  const phId = parsePhId(term)
  if (phId !== null) return newComparison('id', phId)
  if (/^cpe:/i.test(term) && 'value' in parseValue('cpe', 'eq', term)) return newComparison('cpe', term)
  const purl = /^pkg:/i.test(term) ? parsePurl(term) : null
  return purl ? newComparison('package', `${purl.type}:${purl.name}`) : undefined
}

/** An advisory of Linux names some hundred. */
const maxNamed = 1_000

async function findAlias(db: Db, search: string): Promise<Comparison | undefined> {
  if (!hasFormOfId(search)) return undefined
  const rows = await db.all<{ id: number }>(sql`${vulnsNamed(search)} LIMIT ${maxNamed}`)
  return rows.length ? newComparison('id', rows.map(({ id }) => id).join()) : undefined
}

/** A CPE, or a version, is compared in several steps. */
const ofVersion = 5

/** About how many questions to the database the reading of a request takes at most. */
export function estimateQueries(given: VulnFilters & { version?: string | undefined }) {
  const leaves = listLeaves(queryOfFilters(given))
  const compared = leaves.filter((leaf) => leaf.kind === 'compare' && leaf.field === 'cpe').length
  return 2 + leaves.length + ofVersion * (compared + (given.version === undefined ? 0 : 1))
}

/** Answers 400 with the name of the parameter for a wrong filter. */
export function queryOfFilters(given: VulnFilters): Query | undefined {
  const { query, problem } = parseQuery(given.q ?? '')
  if (problem) throw invalid([{ path: ['q'], message: problem.message }])

  const comparisons = readFilters(given)
  const whole = newGroup('and', query ? [...comparisons, query] : comparisons)
  if (listLeaves(whole).length > maxComparisons)
    throw invalid([{ path: ['q'], message: `At most ${maxComparisons} conditions` }])
  requireShort(given.search, whole)
  return whole
}

/** A phrase takes about 2.2 kB of the 100 kB that a statement may have at D1, and so do so many letters beyond the usual. */
const [maxPhrases, lettersOfPhrase, usualLetters] = [41, 550, 10]

function requireShort(search = '', query: Query | undefined) {
  const asked = [wordsOfSearch(search, []), ...listLeaves(query).map(findWords)]
  const phrases = asked.flatMap((words) => words?.choices.flat(2) ?? [])
  const letters = phrases.reduce((sum, { text }) => sum + Math.max(0, text.length - usualLetters), 0)
  if (phrases.length + letters / lettersOfPhrase <= maxPhrases) return
  throw invalid([{ path: [search ? 'search' : 'q'], message: 'Too many words and conditions at once: leave some out' }])
}

function readFilters(given: VulnFilters): Query[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const known = params.get(name)
    if (!known || value === undefined || value === '') return []
    const param = name === 'package_name' && !String(value).includes(':') ? byPart(known) : known
    const read = parseValue(param.field, param.op, String(value))
    if ('expected' in read) throw invalid([{ path: [name], message: `Expected ${read.expected}` }])
    return boundsNothing(param, read.value) ? [] : [{ kind: 'compare' as const, ...param, value: read.value }]
  })
}

// As in the list of packages: old clients give a part of the name, `widget` for `@acme/widget`.
const byPart = <Param>(param: Param) => ({ ...param, op: 'like' as const })

/** Clients always send both ends of a scale: the ends mean everything, unscored vulnerabilities included. */
function boundsNothing({ field, op }: Pick<Comparison, 'field' | 'op'>, value: Comparison['value']) {
  const [least, most] = getDefinition(field).ends ?? []
  if (least === undefined || most === undefined || typeof value !== 'number') return false
  return (op === 'gte' && value <= least) || (op === 'lte' && value >= most)
}

/** Of a saved view: the list's address after the question mark. */
export const parseSavedQuery = (query: string, changes: Record<string, unknown> = {}) =>
  VulnQuery.safeParse({ ...Object.fromEntries(new URLSearchParams(query)), ...changes })

/** Null where it asks for what is no filter any more. */
export const readSavedQuery = (query: string, limit = 1) =>
  parseSavedQuery(query, { sorted_by: '-updated_at', page: 1, limit, count: 'quick', after: undefined }).data ?? null
