import type { Db } from '../../db/open'
import { listComparisons, listTerms, type Comparison, type Query } from '../../domain/query/ast'
import { pageOffset } from '../../http/page'
import type { VulnFilters, VulnQuery } from '../contract'
import { findLocalNow } from '../../watchlist/local-now'
import { findOfVersion, findAffectingCpe, type Affecting, type Depth } from '../versions'
import { findQuery } from '../query'
import { filters } from './filters'
import { lookupKey } from './joined-filters'
import type { Words } from './words'
import { findPercentiles, leastPercentile, findRisen, type EpssPercentile } from '../epss'

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
  const found = await findQuery(db, given)
  if (!found) return undefined
  const { query, words } = found
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
