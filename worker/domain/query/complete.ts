import { getDefinition, findField, offeredFields, type Field } from './fields'
import { tokenize } from './tokens'

/** A completion at the cursor: `from` to `to` of the text would be replaced. */
type Completion = { from: number; to: number; typed: string; field?: Field; options: Option[] }
export type Option = { text: string; hint: string }

const keywords: Option[] = [
  { text: 'AND', hint: 'both' },
  { text: 'OR', hint: 'either' },
  { text: 'NOT', hint: 'the opposite' },
]
const dates: Option[] = [
  { text: 'today', hint: 'since midnight, UTC' },
  { text: '24h', hint: 'the last 24 hours, with <=' },
  { text: '7d', hint: 'the last 7 days, with <=' },
  { text: '3mo', hint: 'the last 3 months, with <=' },
]
const datesAhead: Option[] = [
  { text: 'today', hint: 'with < what is overdue' },
  { text: '7d', hint: 'within 7 days, with <=' },
  { text: '30d', hint: 'within 30 days, with <=' },
]

/**
 * Completions of the word before the cursor: fields, flags and keywords, or the values of the field before it. Of names, which are
 * not known here, `field` says whose value is being typed, and `options` is empty.
 */
export function completeQuery(text: string, cursor: number): Completion {
  const before = text.slice(0, cursor)
  const tokens = tokenize(before)
  const none = { from: cursor, to: cursor, typed: '', options: [] }
  if ('message' in tokens) return none

  const last = tokens.at(-1)
  const isTyping = last?.kind === 'word' && last.to === cursor
  const [sign, name] = isTyping ? [tokens.at(-2), tokens.at(-3)] : [last, tokens.at(-2)]
  const typed = isTyping ? last.text : ''
  const place = { from: cursor - typed.length, to: cursor, typed }

  if (sign?.kind === 'operator') {
    const field = name?.kind === 'word' ? findField(name.text) : undefined
    return field ? { ...place, field, options: startingWith(typed, listValues(field)) } : none
  }
  if (!isTyping && last?.to === cursor && last.kind !== 'open') return none
  return { ...place, options: startingWith(typed, [...offeredFields.map(toOption), ...keywords]) }
}

function listValues(field: Field): Option[] {
  const { kind, choices = [], isAhead } = getDefinition(field)
  if (kind === 'date') return isAhead ? datesAhead : dates
  if (kind === 'flag') return ['true', 'false'].map((text) => ({ text, hint: '' }))
  return choices.map((text) => ({ text, hint: '' }))
}

function toOption(field: Field): Option {
  const { kind, label } = getDefinition(field)
  const sign = kind === 'flag' ? '' : kind === 'number' ? '>=' : kind === 'date' ? '<=' : ':'
  return { text: `${field}${sign}`, hint: label }
}

const startingWith = (typed: string, options: Option[]) =>
  options.filter(({ text }) => text.toLowerCase().startsWith(typed.toLowerCase()) && text !== typed)
