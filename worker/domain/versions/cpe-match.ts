import { parseTail, type Cpe } from '../names/cpe'
import { rangeTail } from './range'
import type { AffectedRange } from '../words/record'

/** How the values that two names have of one attribute relate (NISTIR 7696, section 6.1). */
export type Relation = 'equal' | 'superset' | 'subset' | 'disjoint' | 'undefined'

const kindWords = {
  edition: 'edition',
  language: 'language',
  sw_edition: 'edition',
  target_sw: 'use with',
  target_hw: 'hardware',
  other: 'variant',
} as const satisfies Partial<Record<keyof Cpe, string>>
const attributesOfKind = ['edition', 'language', 'sw_edition', 'target_sw', 'target_hw', 'other'] as const
/** System and edition of a CPE name, beside product and version. */
export type CpeKind = Pick<Cpe, (typeof attributesOfKind)[number]>

/**
 * Why a range does not speak of a product of this kind: an attribute of which both say something, and not the same; null if none
 * does. A source that says nothing (ANY, NA) may mean any, which reports more and misses nothing.
 */
export function findOtherKind(range: AffectedRange, own: CpeKind): string | null {
  const tail = rangeTail(range)
  if (tail === null) return null
  const { others } = parseTail(tail)
  const name = attributesOfKind.find((attribute, at) => isOther(others[at] ?? '*', own[attribute]))
  return name ? `only for ${kindWords[name]} ${others[attributesOfKind.indexOf(name)]}, not ${own[name]}` : null
}

const saysNothing = (value: string) => value === '*' || value === '-'
const isOther = (stated: string, own: string) =>
  !saysNothing(stated) && !saysNothing(own) && compareAttributes(stated, own) === 'disjoint'

/**
 * Table 6-2 of NISTIR 7696; values as in `Cpe`: '*' is ANY, '-' is NA. Only at the ends are '*' and '?' wildcards; a
 * question mark stands for one character or none. Time grows with the lengths, whatever the pattern.
 */
export function compareAttributes(source: string, target: string): Relation {
  const [from, to] = [parsePattern(source), parsePattern(target)]
  if (source === target) return from ? 'undefined' : 'equal'
  if (source === '*') return 'superset'
  if (to) return 'undefined'
  if (target === '*') return 'subset'
  if (source === '-' || target === '-') return 'disjoint'
  return from && isMatch(from, unescaped(target)) ? 'superset' : 'disjoint'
}

/** How many characters may stand before and after the literal; Infinity for an asterisk. */
type Pattern = { before: number; literal: string; after: number }

/** Null for a value without wildcards, and for ANY. */
function parsePattern(value: string): Pattern | null {
  if (value === '*') return null
  let start = 0
  while (isWildcard(value[start])) start++
  let end = value.length
  while (end > start && isWildcard(value[end - 1])) end--
  if (end < value.length && isEscaped(value, end)) end++
  if (!start && end === value.length) return null
  return {
    before: wildcardWidth(value.slice(0, start)),
    literal: unescaped(value.slice(start, end)),
    after: wildcardWidth(value.slice(end)),
  }
}

function isMatch({ before, literal, after }: Pattern, text: string) {
  const last = text.length - literal.length
  const at = text.indexOf(literal, Math.max(0, last - after))
  return at !== -1 && at <= Math.min(before, last)
}

const isWildcard = (character: string | undefined) => character === '*' || character === '?'
const wildcardWidth = (wildcards: string) => (wildcards.includes('*') ? Infinity : wildcards.length)
const unescaped = (value: string) => value.replace(/\\(.)/gs, '$1')

// An odd number of backslashes stands before it.
function isEscaped(value: string, at: number) {
  let start = at
  while (value[start - 1] === '\\') start--
  return (at - start) % 2 === 1
}
