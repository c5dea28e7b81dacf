import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { hasFormOfId, parsePhId, readCveId } from '../../domain/names/cve'
import { findFamous } from '../../domain/names/famous'
import { parsePurl } from '../../domain/names/purl'
import { listLeaves, listTerms, newComparison, newGroup, listComparisons } from '../../domain/query/ast'
import type { Comparison, Query } from '../../domain/query/ast'
import { getDefinition } from '../../domain/query/fields'
import { params } from '../../domain/query/params'
import { maxComparisons, parseQuery } from '../../domain/query/parse'
import { parseValue } from '../../domain/query/values'
import { invalid } from '../../http/errors'
import { pageOffset } from '../../http/page'
import type { VulnFilters, VulnQuery } from '../contract'
import { findLocalNow } from '../../watchlist/local-now'
import { findOfVersion, findAffectingCpe } from '../versions'
import type { Affecting, Depth } from '../versions'
import { filters } from './filters'
import { lookupKey } from './links'
import { vulnsNamed } from '../names'
import { findWords } from './terms'
import { wordsOfSearch } from './words'
import type { Words } from './words'
import { findPercentiles, leastPercentile, findRisen } from '../epss'
import type { EpssPercentile } from '../epss'

/** `user_id` is missing where nobody in person asks. */
export type Asker = { org_id: number; user_id?: number; now: Date }

/** A term of the query, the words of the search field, or the vulnerabilities that affect `product_version`. */
export type Term = Query | SearchTerm | { kind: 'version'; ids: number[] }
export type SearchTerm = { kind: 'search'; words: Words }

/** A query as it is answered: one object from the address to the SQL. */
export type Request = Asker &
  Lookups & {
    /** All must hold: the term of `product_version` and the words of the search first. */
    terms: Term[]
    /** The facts of `product_version`. */
    ofVersion?: Affecting
    /** `limit` rows after `offset`; a walk begins after so many rows of its index. */
    offset: number
    limit: number
    after: number
    /** An export goes on step by step, whatever each has to sort. */
    isExport?: boolean
    /** Only private rows are tested: what is asked of others need not be said. */
    isOfPrivate?: boolean
  } & Pick<VulnQuery, 'sorted_by' | 'then_by'>

type Given = VulnFilters & Partial<VulnQuery>

export async function readRequest(db: Db, asker: Asker, given: Given, depth: Depth): Promise<Request | undefined> {
  const { sorted_by = '-updated_at', then_by, page = 1, limit = 0, after = 0 } = given
  const { search = '' } = given
  const named = search ? await findNamed(db, search) : undefined
  const words = search && !named ? wordsOfSearch(search, findFamous(search)) : undefined
  if (search && !named && !words) return undefined
  const asked = queryOfFilters(given)
  const query = newGroup(
    'and',
    [asked && (await nameTexts(db, asked)), named].flatMap((term) => (term ? withImplied(term) : [])),
  )
  const [lookups, ofVersion] = await Promise.all([
    findLookups(db, asker, query, depth),
    findOfVersion(db, asker.org_id, given, depth),
  ])
  return {
    ...asker,
    ...lookups,
    terms: [
      ...(ofVersion ? [{ kind: 'version' as const, ids: ofVersion.ids }] : []),
      ...(words ? [{ kind: 'search' as const, words }] : []),
      ...listTerms(query),
    ],
    sorted_by,
    then_by,
    offset: pageOffset({ page, limit }),
    // One more tells whether there is a further page.
    limit: limit + 1,
    after,
    ...(ofVersion && { ofVersion }),
  }
}

/** Only monitored vulnerabilities affect an organization, and an index has these in order. */
const withImplied = (query: Query): Query[] =>
  listTerms(query).some((term) => term.kind === 'compare' && term.field === 'affects')
    ? [query, newComparison('monitored', true)]
    : [query]

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

/** Looked up before the list: what affects a CPE's version, which ids have a name, which vectors a part, what rose, and the percentiles of some values of EPSS. */
type Lookups = {
  affecting: Map<string, Affecting>
  named: Map<string, (string | number)[]>
  risen: number[]
  percentiles: EpssPercentile[]
  /** Now by the organization's own clock, where due days are asked for. */
  local: Date
}

/** Asked for in one turn, they travel in one trip. */
async function findLookups(db: Db, { org_id, now }: Asker, query: Query | undefined, depth: Depth): Promise<Lookups> {
  const lookups: Lookups = { affecting: new Map(), named: new Map(), risen: [], percentiles: [], local: now }
  const lookUp = async (comparison: Comparison) => {
    const { field, value } = comparison
    if (field === 'due' || field === 'overdue') lookups.local = await findLocalNow(db, org_id, now)
    if (field === 'risen') lookups.risen = await findRisen(db, now)
    if (field === 'epss_percentile' && leastPercentile(comparison)) lookups.percentiles = await findPercentiles(db)
    const affecting = field === 'cpe' ? await findAffectingCpe(db, org_id, String(value), depth) : undefined
    if (affecting) lookups.affecting.set(String(value), affecting)
    const selected = affecting ? undefined : filters[field].lookUp?.(comparison)
    if (!selected) return
    const found = await db.all<{ id: string | number }>(selected)
    lookups.named.set(
      lookupKey(comparison),
      found.map(({ id }) => id),
    )
  }
  await Promise.all(listComparisons(query).map(lookUp))
  return lookups
}
