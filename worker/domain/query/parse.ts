import { isAdvisoryId } from '../names/cve'
import { ftsPhrase } from './words'
import { newComparison, newGroup, type Comparison, type Query } from './ast'
import { isAge, parseAge } from './dates'
import { getDefinition, findField, defaultOperator, operatorsByKind } from './fields'
import type { Field, FieldKind, Operator } from './fields'
import { problemAt, tokenize, type Problem, type Token } from './tokens'
import { findNearestField } from './nearest'
import { describeBounds, parseValue } from './values'

export const maxDepth = 16
export const maxComparisons = 20

export type Parsed = { query: Query | undefined; problem?: undefined } | { problem: Problem; query?: undefined }

/**
 * Reads a query: comparisons, quoted texts, AND (may be left out), OR, NOT and parentheses; NOT binds closest, then AND, then OR. A
 * minus before a word, quote or parenthesis is NOT; `7..9` is both ends and all between. Never throws; an unreadable text is a
 * problem with its place. An empty text asks for nothing.
 */
export function parseQuery(text: string): Parsed {
  const tokens = tokenize(text)
  if ('message' in tokens) return { problem: tokens }
  if (!tokens.length) return { query: undefined }

  try {
    const reader = new Reader(tokens, text.length)
    const query = reader.alternatives(0)
    const leftover = reader.next()
    if (leftover) return { problem: problemAt('a parenthesis closes that never opened', leftover.from, leftover.to) }
    return { query }
  } catch (error) {
    if (error instanceof Misread) return { problem: error.problem }
    throw error
  }
}

class Misread extends Error {
  readonly problem: Problem
  constructor(message: string, from: number, to?: number) {
    super(message)
    this.problem = problemAt(message, from, to)
  }
}

const signs = new Map<string, Operator>([
  ['=', 'eq'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['~', 'like'],
  ['~~', 'match'],
])

class Reader {
  private at = 0
  private comparisons = 0
  private readonly tokens: Token[]
  private readonly end: number

  constructor(tokens: Token[], end: number) {
    this.tokens = tokens
    this.end = end
  }

  next() {
    return this.tokens[this.at]
  }

  alternatives(depth: number): Query {
    const terms = [this.conjunction(depth)]
    while (this.takesKeyword('OR')) terms.push(this.conjunction(depth))
    return newGroup('or', terms) ?? this.fail('expected a condition')
  }

  private conjunction(depth: number): Query {
    const terms = [this.negation(depth)]
    for (let token = this.next(); token && token.kind !== 'close' && !isKeyword(token, 'OR'); token = this.next()) {
      this.takesKeyword('AND')
      terms.push(this.negation(depth))
    }
    return newGroup('and', terms) ?? this.fail('expected a condition')
  }

  private negation(depth: number): Query {
    const token = this.next()
    if (depth > maxDepth) this.fail(`parentheses and NOTs go at most ${maxDepth} deep`)
    if (!this.takesKeyword('NOT')) return this.term(depth)
    if (!this.next()) this.fail('expected a condition after NOT', token?.from)
    return { kind: 'not', term: this.negation(depth + 1) }
  }

  private term(depth: number): Query {
    const token = this.next()
    if (!token) return this.fail('expected a condition')
    this.at++
    switch (token.kind) {
      case 'open': {
        if (this.next()?.kind === 'close') this.fail('expected a condition in the parentheses')
        const inside = this.alternatives(depth + 1)
        if (this.next()?.kind !== 'close') throw new Misread('the parenthesis is not closed that opens', token.from)
        this.at++
        return inside
      }
      case 'close':
        throw new Misread('expected a condition before the closing parenthesis', token.from, token.to)
      case 'operator':
        throw new Misread(`expected a field before ${token.text}`, token.from, token.to)
      case 'text':
        return this.words(token.text, token)
      case 'word':
        return this.word(token.text, token)
    }
  }

  private word(word: string, token: Token): Query {
    if (isKeyword(token, 'AND') || isKeyword(token, 'OR'))
      throw new Misread(`expected a condition before ${word.toUpperCase()}`, token.from, token.to)
    const field = findField(word)
    const sign = this.next()
    if (sign?.kind === 'operator') return this.comparison(word, field, token, sign)
    if (word.toLowerCase() === 'exploited' && sign && isKeyword(sign, 'BY')) {
      const after = this.tokens[this.at + 1]
      if (after?.kind === 'operator') {
        this.at++
        return this.comparison('exploited by', 'exploited_by', token, after)
      }
    }
    if (field && getDefinition(field).kind === 'flag') return this.counted(newComparison(field, true))
    return this.words(word, token)
  }

  private words(text: string, { from, to }: Token): Query {
    if (!ftsPhrase(text)) throw new Misread('expected a word with letters or digits', from, to)
    return this.counted({ kind: 'text', text })
  }

  private comparison(word: string, field: Field | undefined, name: Token, sign: Token & { text: string }): Query {
    if (!field) return this.advisory(word, name, sign)
    const { kind } = getDefinition(field)
    const op = sign.text === ':' ? defaultOperator(field) : signs.get(sign.text)
    const allowed: readonly Operator[] = operatorsByKind[kind]
    if (!op || !allowed.includes(op)) throw new Misread(`${word} cannot be asked with ${sign.text}`, sign.from, sign.to)

    this.at++
    const token = this.next()
    const isValue = token?.kind === 'word' || token?.kind === 'text'
    const read = isValue ? readComparisons(field, op, token.text) : { expected: describeExpected(field, op) }
    if ('expected' in read)
      return this.fail(
        `expected ${read.expected} after ${word}${sign.text}`,
        token?.from,
        isValue ? token.to : undefined,
      )
    this.at++
    const group = newGroup(
      'and',
      read.comparisons.map((comparison) => this.counted(comparison)),
    )
    return group ?? this.fail('expected a condition')
  }

  /** The id of an advisory may hold a colon: `RHSA-2024:1234`. */
  private advisory(word: string, name: Token, sign: Token & { text: string }): Query {
    const rest = this.tokens[this.at + 1]
    const isWhole = rest?.kind === 'word' && name.to === sign.from && sign.to === rest.from
    const id = isWhole ? word + sign.text + rest.text : ''
    if (!isAdvisoryId(id)) throw new Misread(describeUnknown(word), name.from, name.to)
    this.at += 2
    return this.words(id, { ...name, to: rest?.to ?? sign.to })
  }

  private counted<Term extends Query>(term: Term): Term {
    if (++this.comparisons > maxComparisons) {
      const last = this.tokens[this.at - 1]
      throw new Misread(`A query has at most ${maxComparisons} conditions: it goes on`, last?.from ?? 0, last?.to)
    }
    return term
  }

  private takesKeyword(keyword: string) {
    const token = this.next()
    const isThere = token !== undefined && isKeyword(token, keyword) && this.tokens[this.at + 1]?.kind !== 'operator'
    if (isThere) this.at++
    return isThere
  }

  private fail(message: string, from = this.next()?.from ?? this.end, to?: number): never {
    throw new Misread(message, from, to)
  }
}

const isKeyword = (token: Token, keyword: string) => token.kind === 'word' && token.text.toUpperCase() === keyword
const shortened = (word: string) => (word.length > 40 ? `${word.slice(0, 40)}…` : word)

function describeUnknown(word: string) {
  const nearest = findNearestField(word)
  return `there is no field ${shortened(word)}${nearest ? ` (did you mean ${nearest}?)` : ''}`
}

type ReadComparisons = { comparisons: Comparison[] } | { expected: string }

/** A value, or two with `..` between them for all from the one to the other; an end may be left out. */
function readComparisons(field: Field, op: Operator, text: string): ReadComparisons {
  const { kind } = getDefinition(field)
  const at = op === 'eq' && (kind === 'number' || kind === 'date') ? text.indexOf('..') : -1
  const parts: [Operator, string][] =
    at === -1
      ? [[op, text]]
      : [
          ['gte', text.slice(0, at)],
          ['lte', text.slice(at + 2)],
        ]
  const comparisons: Comparison[] = []
  for (const [sign, part] of parts) {
    if (part === '' && text.length > 2 && at !== -1) continue
    const read = readValue(field, sign, part)
    if ('expected' in read) return read
    comparisons.push({ kind: 'compare', field, op: sign, value: read.value })
  }
  const [first, last] = comparisons
  return first && last && isReversed(kind, first.value, last.value)
    ? { expected: 'the lesser end first' }
    : { comparisons }
}

function isReversed(kind: FieldKind, from: Comparison['value'], until: Comparison['value']) {
  if (kind === 'number') return Number(from) > Number(until)
  const [first, last] = [String(from), String(until)]
  if (isAge(first) && isAge(last)) return parseAge(first, anyDay) < parseAge(last, anyDay)
  return (
    /^\d{4}/.test(first) &&
    /^\d{4}/.test(last) &&
    !isAge(first) &&
    !isAge(last) &&
    first > last &&
    !first.startsWith(last)
  )
}

const anyDay = new Date(0)

/** The author of a query means a possible number; clients of the API send any bound. */
function readValue(field: Field, op: Operator, text: string) {
  const read = parseValue(field, op, text)
  const bounds = 'value' in read ? describeBounds(field, read.value) : undefined
  return bounds ? { expected: bounds } : read
}

function describeExpected(field: Field, op: Operator) {
  const read = parseValue(field, op, '')
  return 'expected' in read ? read.expected : 'a value'
}
