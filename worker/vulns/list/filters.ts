import { isCveId, parsePhId } from '../../domain/cve'
import { parsePurl } from '../../domain/purl'
import { groupOf } from '../../domain/query/ast'
import type { Comparison, Query } from '../../domain/query/ast'
import { params } from '../../domain/query/params'
import { maxComparisons, parseQuery } from '../../domain/query/parse'
import { readValue } from '../../domain/query/values'
import { invalid } from '../../http/errors'
import type { VulnFilters } from '../contract'

/** The filters of a request and its query as one query; what is wrong with them is 400 and names the parameter. */
export function queryOf(filters: VulnFilters): Query | undefined {
  const { query, problem } = parseQuery(filters.q ?? '')
  if (problem) throw invalid([{ path: ['q'], message: problem.message }])

  const named = filterTerms(filters)
  const whole = groupOf('and', query ? [...named, query] : named)
  if (countComparisons(whole) > maxComparisons)
    throw invalid([{ path: ['q'], message: `At most ${maxComparisons} conditions` }])
  return whole
}

function filterTerms(filters: VulnFilters): Query[] {
  return Object.entries(filters).flatMap(([name, value]) => {
    const param = params.get(name)
    if (!param || value === undefined || value === '') return []
    const read = readValue(param.field, param.op, String(value))
    if ('expected' in read) throw invalid([{ path: [name], message: `Expected ${read.expected}` }])
    return [{ kind: 'compare' as const, ...param, value: read.value }]
  })
}

function countComparisons(query: Query | undefined): number {
  if (!query) return 0
  if (query.kind === 'not') return countComparisons(query.term)
  if (query.kind === 'and' || query.kind === 'or')
    return query.terms.reduce((sum, term) => sum + countComparisons(term), 0)
  return 1
}

/** A search for what has an id or a name of its own goes straight to it; undefined for words. */
export function namedBy(search: string): Comparison | undefined {
  const term = search.trim()
  const compare = (field: Comparison['field'], value: string | number): Comparison => ({
    kind: 'compare',
    field,
    op: 'eq',
    value,
  })
  if (isCveId(term.toUpperCase())) return compare('cveid', term.toUpperCase())
  const phId = parsePhId(term)
  if (phId !== null) return compare('id', phId)
  if (/^cpe:/i.test(term) && 'value' in readValue('cpe', 'eq', term)) return compare('cpe', term)
  const purl = /^pkg:/i.test(term) ? parsePurl(term) : null
  return purl ? compare('package', `${purl.type}:${purl.name}`) : undefined
}
