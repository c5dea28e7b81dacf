import { isAdvisoryId, isCveId } from '../names/cve'
import { parseCpe } from '../names/cpe'
import { GroupLabel } from '../names/watch-item'
import { isDate } from './dates'
import { getDefinition, type Field, type Operator } from './fields'
import type { Comparison } from './ast'

export const maxValue = 500
const maxUsername = 150
const keyPattern = /^\d{1,15}$/
const numberPattern = /^-?\d{1,15}(\.\d{1,25})?(e-\d{1,3})?$/i

const percentPattern = /^\d{1,15}(\.\d{1,25})?%$/

/** A number from 0 to 1 may be written as a percentage. */
const isShare = (field: Field) => getDefinition(field).ends?.[1] === 1

type Read = { value: Comparison['value'] } | { expected: string }

/** The value of a comparison in the one way in which it is written, or the expected form. */
export function parseValue(field: Field, op: Operator, text: string): Read {
  const { kind, choices = [] } = getDefinition(field)
  if (text.length > maxValue) return { expected: `at most ${maxValue} characters` }
  switch (kind) {
    case 'key':
      return keyPattern.test(text) ? { value: Number(text) } : { expected: 'a whole number' }
    case 'number':
      if (isShare(field) && percentPattern.test(text)) return { value: Number(text.slice(0, -1)) / 100 }
      return numberPattern.test(text) ? { value: Number(text) + 0 } : { expected: 'a number' }
    case 'date':
      return readDate(text)
    case 'flag': {
      const word = text.toLowerCase()
      return word === 'true' || word === 'false' ? { value: word === 'true' } : { expected: 'true or false' }
    }
    case 'choice': {
      const choice = choices.find((known) => known.toLowerCase() === text.toLowerCase())
      return choice === undefined ? { expected: `one of ${choices.join(', ')}` } : { value: choice }
    }
    case 'id':
      return readId(field, text)
    case 'text':
      if (text.trim() === '') return { expected: 'a text' }
      return { value: field === 'cveid' && op === 'eq' && isCveId(text.toUpperCase()) ? text.toUpperCase() : text }
  }
}

function readDate(text: string): Read {
  const date = [text.toLowerCase(), text.toUpperCase()].find(isDate)
  return date === undefined
    ? { expected: 'a date such as 2026-01-31, 2026, 7d, 24h, 2w, 3mo or today' }
    : { value: date }
}

function readId(field: Field, text: string): Read {
  if (field === 'group') {
    const label = GroupLabel.safeParse(text)
    return label.success ? { value: label.data } : { expected: 'the label of a group, such as dmz' }
  }
  if (field === 'assignee') {
    const name = text.trim().toLowerCase()
    return name && name.length <= maxUsername ? { value: name } : { expected: 'me, nobody or a username' }
  }
  if (field === 'cwe') {
    const digits = /^(?:cwe-)?(\d{1,6})$/i.exec(text)?.[1]
    if (digits) return { value: `CWE-${Number(digits)}` }
    return /^NVD-CWE-(noinfo|Other)$/.test(text) ? { value: text } : { expected: 'a CWE such as CWE-79' }
  }
  if (field === 'advisory')
    return isAdvisoryId(text)
      ? { value: text }
      : { expected: 'the id of an advisory, such as MS17-010 or RHSA-2024:1234' }
  return parseCpe(completeCpe(text))
    ? { value: text }
    : { expected: 'a CPE such as "cpe:2.3:a:vendor:product:version"' }
}

/** Bounds of a number, in words; undefined if `value` is within them. */
export function describeBounds(field: Field, value: Comparison['value']) {
  const [least, most] = getDefinition(field).ends ?? []
  if (least === undefined || most === undefined || typeof value !== 'number') return undefined
  if (value >= least && value <= most) return undefined
  return `a number from ${least} to ${most}${isShare(field) ? ', such as 0.5 or 50%' : ''}`
}

/** A CPE 2.3 name may be cut short: a missing part is any. */
export function completeCpe(cpe: string) {
  if (!/^cpe:2\.3:/i.test(cpe)) return cpe
  const missing = 13 - (cpe.match(/(?<!\\):/g)?.length ?? 0) - 1
  return missing > 0 ? `${cpe.replace(/:$/, ':*')}${':*'.repeat(missing)}` : cpe
}
