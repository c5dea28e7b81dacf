import { getDefinition, defaultOperator, type Operator } from './fields'
import type { Comparison, Query } from './ast'

const signs: Record<Operator, string> = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=', like: '~', match: '~~' }

/** A query as text; `parseQuery` reads the same query back. */
export function printQuery(query: Query | undefined): string {
  if (!query) return ''
  switch (query.kind) {
    case 'compare':
      return printComparison(query)
    case 'text':
      return quoted(query.text)
    case 'not':
      return `NOT ${isGroup(query.term) ? `(${printQuery(query.term)})` : printQuery(query.term)}`
    case 'and':
    case 'or':
      return query.terms
        .map((term) => (isGroup(term) ? `(${printQuery(term)})` : printQuery(term)))
        .join(query.kind === 'and' ? ' AND ' : ' OR ')
  }
}

function printComparison({ field, op, value }: Comparison) {
  const { kind } = getDefinition(field)
  if (kind === 'flag') return value === true ? field : `${field}:false`
  const sign = op === defaultOperator(field) && kind !== 'number' ? ':' : signs[op]
  return `${field}${sign}${typeof value === 'string' && !isBare(value) ? quoted(value) : value}`
}

const isGroup = ({ kind }: Query) => kind === 'and' || kind === 'or'

// Only words that cannot be taken for anything else go without quotes.
const isBare = (value: string) => /^[\w@*+.][\w@*+./:-]*$/.test(value)
const quoted = (text: string) => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`
