import type { Cpe } from './cpe'

/** How the values that two names have of one attribute relate (NISTIR 7696, section 6.1). */
export type Relation = 'equal' | 'superset' | 'subset' | 'disjoint' | 'undefined'

const attributes = [
  'part',
  'vendor',
  'product',
  'version',
  'update',
  'edition',
  'language',
  'sw_edition',
  'target_sw',
  'target_hw',
  'other',
] as const satisfies (keyof Cpe)[]

/**
 * Whether `target` is one of those that `source` names: in each attribute the source's value is equal or wider. ANY is
 * wider than all, NA is only equal to NA, and a target with wildcards is matched by ANY alone. NISTIR 7696, section 6.3.
 */
export const cpeMatches = (source: Cpe, target: Cpe) =>
  attributes.every((name) => ['equal', 'superset'].includes(relationOf(source[name], target[name])))

/** Table 6-2 of NISTIR 7696; values as in `Cpe`: '*' is ANY, '-' is NA. */
export function relationOf(source: string, target: string): Relation {
  if (source === target) return hasWildcard(source) ? 'undefined' : 'equal'
  if (source === '*') return 'superset'
  if (hasWildcard(target)) return 'undefined'
  if (target === '*') return 'subset'
  if (source === '-' || target === '-') return 'disjoint'
  return hasWildcard(source) && patternOf(source).test(target) ? 'superset' : 'disjoint'
}

const wildcards = /^([*?]*)(.*?)((?<!\\)(?:\\\\)*[*?]*)$/s
const hasWildcard = (value: string) => value !== '*' && /^[*?]|(?<!\\)(?:\\\\)*[*?]$/.test(value)

// Only at the ends are they wildcards; a question mark stands for one character or none.
function patternOf(value: string) {
  const [, start = '', middle = '', end = ''] = wildcards.exec(value) ?? []
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
  const any = (text: string) =>
    text.replace(/\\\\|\*|\?/g, (one) => (one === '*' ? '.*' : one === '?' ? '.?' : literal(one)))
  return new RegExp(`^${any(start)}${literal(middle)}${any(end)}$`, 's')
}
