import type { Field, Operator } from './fields'

/** One question about one field. A date is a day, a time, or an age such as `7d`, which says how long ago at most or at least. */
export type Comparison = { kind: 'compare'; field: Field; op: Operator; value: string | number | boolean }
export const newComparison = (field: Field, value: Comparison['value'], op: Operator = 'eq'): Comparison => ({
  kind: 'compare',
  field,
  op,
  value,
})

/** Words that stand together somewhere in the summary or in the names of the products. */
export type Text = { kind: 'text'; text: string }
/** Two terms or more; one `and` never holds another, nor one `or`. */
export type Group = { kind: 'and' | 'or'; terms: Query[] }
export type Query = Comparison | Text | Group | { kind: 'not'; term: Query }

/** Terms side by side; a group of the same kind is taken apart, so that a query has one shape. Undefined for none. */
export function newGroup(kind: Group['kind'], terms: Query[]): Query | undefined {
  const flat = terms.flatMap((term) => (term.kind === kind ? term.terms : [term]))
  return flat.length > 1 ? { kind, terms: flat } : flat[0]
}

/** The comparisons and texts of a query, in whatever groups they stand. */
export function listLeaves(query: Query | undefined): (Comparison | Text)[] {
  if (!query) return []
  if (query.kind === 'not') return listLeaves(query.term)
  return 'terms' in query ? query.terms.flatMap(listLeaves) : [query]
}

export const listComparisons = (query: Query | undefined) => listLeaves(query).filter((leaf) => leaf.kind === 'compare')

/** Terms that must all hold for a query to hold: its pills. */
export function listTerms(query: Query | undefined): Query[] {
  if (!query) return []
  return query.kind === 'and' ? query.terms : [query]
}
