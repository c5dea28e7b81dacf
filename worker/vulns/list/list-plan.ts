import { and, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsWords } from '../../db/fts'
import type { Db } from '../../db/open'
import { tableOf } from '../../db/values'
import { groupOf, termsOf } from '../../domain/query/ast'
import type { Query } from '../../domain/query/ast'
import { ftsPhrase } from '../../domain/query/words'
import { isMonitored } from '../../watchlist/monitored'
import { findAskedVersions, findOfVersion } from './asked-versions'
import type { VulnFilters, VulnQuery } from '../contract'
import { allMonitored, inAnyOrder, indexOfCwe, keptCount } from './list-counts'
import type { Count } from './list-counts'
import { namedBy, queryOf } from './filters'
import { inOrder, keepOrder, sortFew, walk } from './list-sources'
import type { Asked, Source } from './list-sources'
import { newestMonitored, newestOfQuery } from './newest'
import { newestInRange } from './newest-in-range'
import { conditionOf, matchOf, textSays, wordsOf } from './query-sql'
import type { Answers, Asker } from './query-sql'
import { vulnAliases } from '../../schema/links'
import { findBestHits, findHits, findSorted } from './text-hits'
import { findLinked, findRare } from './rare'
import { isVisible } from '../../watchlist/visible'

/** A search for words looks at its newest hits: so many, and at more where other filters leave few of them. */
const newestHits = 350
const siftedHits = 3_000
/** Of so many hits the best are found; of a word that has more of them the newest are as good. */
const rankedHits = 1_000
/** A page looks so far ahead, to say how many there are, where an index holds nothing but what is asked for. */
const lookAhead = 80

/**
 * How a list is read: `ahead` rows at once at least; `kept` is its count where one is kept; a search looks at `most`
 * hits, and `isSifted` says that there were more of them than it looked at.
 */
export type Plan = {
  /** Ids where they are known already, in their order. */
  source: Source | number[]
  ahead: number
  kept?: Count
  most?: number
  isSifted?: boolean
  /** All of them, where that is cheaper to count than what the list reads. */
  all?: Source
}

type Ordered = VulnFilters & Pick<VulnQuery, 'sorted_by'> & Partial<Pick<VulnQuery, 'version_window'>>

/** Undefined where nothing can fit. A search looks at `allHits`, if they are given, instead of at what a page needs. */
export async function planOf(db: Db, asker: Asker, given: Ordered, allHits?: number): Promise<Plan | undefined> {
  const isRanked = given.sorted_by.endsWith('relevance')
  const filters: Ordered = isRanked ? { ...given, sorted_by: '-updated_at' } : given
  const search = await readSearch(db, filters.search)
  if (search.kind === 'nothing') return undefined

  const query = groupOf(
    'and',
    [queryOf(filters), search.query].filter((one) => one !== undefined),
  )
  const terms = termsOf(query)
  const [affecting, ofVersion] = await Promise.all([findAskedVersions(db, query), findOfVersion(db, filters)])
  const asked = (asking: Query[], { more = [], isEach = true }: Reading = {}) => ({
    where: and(conditionsOn(asking, { ...asker, affecting, isEach }), ...more) ?? sql`true`,
    isMonitored: isMonitored(asker.org_id),
    monitored: newestMonitored(asker.org_id),
    sorted_by: filters.sorted_by,
  })
  if (search.words || terms.some(hitsOf))
    return planSearch(db, {
      words: search.words,
      terms,
      among: ofVersion && amongIds(ofVersion),
      isRanked,
      allHits,
      asked,
    })

  const isNewestFirst = filters.sorted_by === '-updated_at'
  const inRange = isNewestFirst ? newestInRange(terms, asker.now) : undefined
  const few =
    ofVersion ?? ofCpe(terms, affecting) ?? (inRange ? undefined : await findRare(db, terms, { ...asker, affecting }))
  const others = ofVersion ? terms.filter((term) => !isSaidByVersion(term, filters)) : terms
  if (few) return { source: sortFew(listOf(few), asked(others)), ahead: lookAhead }
  const kept = keptCount(db, terms)
  const linked = isNewestFirst ? undefined : await findLinked(db, terms)
  if (linked && !linked.areMany)
    return { source: sortFew(linked.ids, asked(linked.rest)), ahead: lookAhead, ...(kept && { kept }) }
  const range = inRange ?? (isNewestFirst ? newestInRange(terms, asker.now, true) : undefined)
  const newest = range ?? (isNewestFirst ? newestOfQuery(terms, asker.org_id) : undefined)
  const source = newest
    ? inOrder(newest.from, asked(newest.rest).where)
    : walk(asked(terms, { isEach: linked?.areMany ?? false }))
  const by = range?.counted ?? indexOfCwe(terms)
  const all = by
    ? inAnyOrder(by, { terms, asker: { ...asker, affecting } })
    : allMonitored(terms, asker.org_id, asked([]).where)
  const ahead = terms.length === 1 && terms.every(hasOwnIndex) ? lookAhead : 0
  return { source, ahead, ...(kept && { kept }), ...(all && { all }) }
}

type Reading = { more?: SQL[]; isEach?: boolean }
type Searched = {
  words: string | undefined
  terms: Query[]
  /** What else they must be. */
  among: SQL | undefined
  isRanked: boolean
  allHits: number | undefined
  asked: (terms: Query[], reading: Reading) => Asked
}

async function planSearch(db: Db, { words, terms, among, isRanked, allHits, asked }: Searched): Promise<Plan> {
  const others = terms.filter((term) => !hitsOf(term))
  const texts = terms.flatMap((term) => hitsOf(term) ?? [])
  const more = [...texts.map(({ says }) => says), among].filter((one) => one !== undefined)
  const isNarrowed = others.length > 0 || among !== undefined
  const most = isNarrowed ? siftedHits : isRanked ? rankedHits : newestHits
  const asks = texts.map((text) => text.match)
  const parts = words ? [words, ...asks] : asks
  const reading = asked(others, { more })
  if (!isRanked && (allHits || (!isNarrowed && !more.length))) {
    const { hits } = await findSorted(db, parts, allHits ?? most, reading)
    return { source: hits, ahead: newestHits, most }
  }
  const match = await findHits(db, parts, most)
  const isAll = match.hits.length < most
  const isSifted = !isAll && (isNarrowed || more.length > 0)
  if (!isRanked || !isAll) return { source: sortFew(listOf(match.hits), reading), ahead: newestHits, most, isSifted }
  const best = await findBestHits(db, match.match, most)
  return { source: keepOrder(best, reading.where), ahead: newestHits, most, isSifted }
}

/** What a term asks of the full-text index, and what of the text that it finds. */
function hitsOf(term: Query): { match: string; says?: SQL } | undefined {
  if (term.kind === 'text') return { match: ftsPhrase(term.text) ?? '' }
  const words = wordsOf(term)
  const match = words && matchOf(words)
  return match ? { match, says: textSays(words) } : undefined
}

/** The vulnerabilities of a CPE name with a version that all must have. */
const ofCpe = (terms: Query[], affecting: Answers['affecting']) =>
  terms
    .map((term) => (term.kind === 'compare' && term.field === 'cpe' ? affecting.get(String(term.value)) : undefined))
    .find((ids) => ids !== undefined)

/** Whether a term names the product whose version is asked for: what has the version has the product. */
function isSaidByVersion(term: Query, { product, product_name, vendor_name }: VulnFilters) {
  if (term.kind !== 'compare' || term.op !== 'eq') return false
  if (product !== undefined) return term.field === 'product_id' && term.value === product
  const names: Partial<Record<string, string | undefined>> = { product: product_name, vendor: vendor_name }
  return term.value === names[term.field]
}

const isById = (term: Query) =>
  term.kind === 'compare' && term.op === 'eq' && (term.field === 'cveid' || term.field === 'id')

const ownIndexes = ['kev', 'wild', 'news', 'exploitable']
const hasOwnIndex = (term: Query) =>
  term.kind === 'compare' && (term.field === 'cwe' || (term.value === true && ownIndexes.includes(term.field)))

const listOf = (ids: number[]) => sql`(select item as id from ${tableOf(ids)})`
const amongIds = (ids: number[]) => sql`vulns.id in (select value from json_each(${JSON.stringify(ids)}))`

function conditionsOn(terms: Query[], asker: Asker & Answers): SQL {
  const shown = terms.some(isById) ? undefined : sql`vulns.state <> 'rejected'`
  const visible = isVisible(asker.org_id)
  return and(shown, visible, ...terms.map((term) => conditionOf(term, asker))) ?? visible
}

type Search = { kind: 'nothing' } | { kind: 'something'; query?: Query | undefined; words?: string }

/** Ids and names lead straight to what they name; anything else is words. */
async function readSearch(db: Db, search = ''): Promise<Search> {
  if (!search) return { kind: 'something' }
  const query = namedBy(search) ?? (await aliased(db, search))
  if (query) return { kind: 'something', query }
  const words = ftsWords(search)
  return words ? { kind: 'something', words } : { kind: 'nothing' }
}

async function aliased(db: Db, search: string): Promise<Query | undefined> {
  if (!/^[A-Za-z]+[-:][\w:.-]+$/.test(search)) return undefined
  const rows = await db
    .select({ vuln_id: vulnAliases.vuln_id })
    .from(vulnAliases)
    .where(sql`${vulnAliases.alias} in (${search}, ${search.toUpperCase()})`)
    .limit(10)
  return groupOf(
    'or',
    rows.map(({ vuln_id }) => ({ kind: 'compare', field: 'id', op: 'eq', value: vuln_id })),
  )
}
