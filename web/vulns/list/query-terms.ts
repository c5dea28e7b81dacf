import { newGroup, listTerms, type Comparison, type Query } from '../../../worker/domain/query/ast'
import { getDefinition, type FieldKind, type Operator } from '../../../worker/domain/query/fields'
import { parseQuery } from '../../../worker/domain/query/parse'
import { printQuery } from '../../../worker/domain/query/print'

export const listShownTerms = (q = '') => listTerms(parseQuery(q).query)

export const withTerm = (q: string | undefined, term: Query) =>
  printQuery(newGroup('and', [...listShownTerms(q), term]))

export const withoutTerm = (q: string | undefined, at: number) =>
  printQuery(
    newGroup(
      'and',
      listShownTerms(q).filter((_, index) => index !== at),
    ),
  )

export const criteriaByKind: Record<FieldKind, [Operator, string][]> = {
  text: [
    ['eq', 'equals'],
    ['match', 'contains'],
    ['like', 'contains, any case'],
  ],
  number: [
    ['eq', '='],
    ['gt', '>'],
    ['gte', '≥'],
    ['lt', '<'],
    ['lte', '≤'],
  ],
  date: [
    ['eq', 'on'],
    ['gt', 'after'],
    ['gte', 'on or after'],
    ['lt', 'before'],
    ['lte', 'on or before'],
  ],
  choice: [['eq', 'is']],
  id: [['eq', 'is']],
  key: [['eq', 'is']],
  flag: [['eq', 'is']],
}

/** Words for ages: "within 7d" means at most 7 days old. */
const ages: Record<Operator, string> = {
  eq: 'within',
  lte: 'within',
  lt: 'less than ago:',
  gte: 'at least ago:',
  gt: 'longer ago than',
  like: 'within',
  match: 'within',
}

const agesAhead: Partial<Record<Operator, string>> = { lt: 'in less than', gte: 'in at least', gt: 'in more than' }

export function termLabel(term: Query): string {
  if (term.kind === 'not' && term.term.kind === 'compare') return negatedLabel(term.term)
  return term.kind === 'compare' ? comparisonLabel(term) : printQuery(term)
}

/** Of a flag it is the other value: not "not in KEV" is "In KEV"; of a choice it is "Status ≠ fixed". */
function negatedLabel(term: Comparison) {
  const { kind } = getDefinition(term.field)
  if (kind === 'flag') return comparisonLabel({ ...term, value: !term.value })
  const label = comparisonLabel(term)
  return kind === 'choice' ? label.replace(' = ', ' ≠ ') : negated(label)
}

/** "In KEV" becomes "Not in KEV", and "CVSSv3 = 9" keeps its capitals. */
const negated = (label: string) =>
  `Not ${/^[A-Z][a-z ]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label}`

export function comparisonLabel({ field, op, value }: Comparison) {
  const { kind, label, isAhead } = getDefinition(field)
  if (kind === 'flag') return value === true ? label : negated(label)
  const isAge = kind === 'date' && /^\d+(h|d|w|mo|y)$/.test(String(value))
  const inTime = (isAhead && agesAhead[op]) || ages[op]
  const words = isAge ? inTime : criteriaByKind[kind].find(([operator]) => operator === op)?.[1]
  if (kind === 'date' && op === 'eq' && /^\d{4}(-\d{2})?$/.test(String(value))) return `${label} in ${value}`
  return `${label} ${words === 'is' || words === 'equals' ? '=' : words} ${kind === 'choice' ? String(value).replaceAll('_', ' ') : value}`
}
