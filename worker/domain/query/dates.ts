import type { Operator } from './fields'

/** From and until when, as milliseconds of the epoch; until is not part of it. */
export type Span = { from: number; until: number }

const units = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }
const agePattern = /^(\d{1,4})(h|d|w|mo|y)$/
const dayPattern = /^\d{4}-\d{2}-\d{2}$/
/** A year, or a month of it. */
const calendarPattern = /^([12]\d{3})(?:-(0[1-9]|1[0-2]))?$/
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?Z?$/

/** Whether a text is a date of the query language: 2026, 2026-11, 2026-11-20, 2026-11-20T08:00:00Z, 7d, 24h, 2w, 3mo, 1y, today, yesterday. */
export function isDate(text: string) {
  if (agePattern.test(text) || calendarPattern.test(text) || text === 'today' || text === 'yesterday') return true
  if (dayPattern.test(text)) return new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) ?? false
  return timePattern.test(text) && !Number.isNaN(Date.parse(asUtc(text)))
}

/** Whether a text is an age, as `7d` or `3y`; anything else is read as a date. */
export const isAge = (text: string) => agePattern.test(text)

/** The moment an age ago; months and years by the calendar (31 March less a month is the last of February). */
export const parseAge = (age: string, now: Date) => shift(age, now, -1)
const momentAhead = (age: string, now: Date) => shift(age, now, 1)

function shift(age: string, now: Date, direction: 1 | -1) {
  const [, digits = '0', unit = 'd'] = agePattern.exec(age) ?? []
  const amount = Number(digits) * direction
  if (unit === 'h' || unit === 'd' || unit === 'w') return now.getTime() + amount * units[unit]
  return shiftMonths(now, unit === 'y' ? amount * 12 : amount)
}

/** A year, month or day from its start to the next one, in UTC; a time is one second. */
export function parseDateSpan(date: string, now: Date): Span {
  if (date === 'today' || date === 'yesterday') {
    const from = startOfDay(now.getTime()) - (date === 'yesterday' ? units.d : 0)
    return { from, until: from + units.d }
  }
  const [, year, month] = calendarPattern.exec(date) ?? []
  if (year) return findCalendarSpan(Number(year), month)
  const from = Date.parse(asUtc(date))
  if (dayPattern.test(date)) return { from, until: from + units.d }
  const second = Math.floor(from / 1000) * 1000
  return { from: second, until: second + 1000 }
}

function findCalendarSpan(year: number, month: string | undefined): Span {
  const first = month ? Number(month) - 1 : 0
  return { from: Date.UTC(year, first), until: Date.UTC(year, first + (month ? 1 : 12)) }
}

/** The span that a comparison accepts, to the second; an open side is absent. An age without a sign means "at most this old". */
export function compareDateSpan(op: Operator, text: string, now: Date): Partial<Span> {
  if (isAge(text)) {
    const from = Math.floor(parseAge(text, now) / 1000) * 1000
    if (op === 'gt') return { until: from }
    if (op === 'gte') return { until: from + 1000 }
    return { from: op === 'lt' ? from + 1000 : from }
  }
  const { from, until } = parseDateSpan(text, now)
  if (op === 'gt') return { from: until }
  if (op === 'gte') return { from }
  if (op === 'lt') return { until: from }
  return op === 'lte' ? { until } : { from, until }
}

/** The same for days ahead: an age is the longest time until then, and past days do not count. */
export function compareDaysAhead(op: Operator, text: string, now: Date): Partial<Span> {
  if (!isAge(text)) return compareDateSpan(op, text, now)
  const today = startOfDay(now.getTime())
  const day = startOfDay(momentAhead(text, now))
  if (op === 'gt') return { from: day + units.d }
  if (op === 'gte') return { from: day }
  return { from: today, until: op === 'lt' ? day : day + units.d }
}

const startOfDay = (time: number) => Math.floor(time / units.d) * units.d
const asUtc = (text: string) => (text.includes('T') && !text.endsWith('Z') ? `${text}Z` : text)

function shiftMonths(now: Date, months: number) {
  const then = new Date(now)
  then.setUTCDate(1)
  then.setUTCMonth(then.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(then.getUTCFullYear(), then.getUTCMonth() + 1, 0)).getUTCDate()
  then.setUTCDate(Math.min(now.getUTCDate(), lastDay))
  return then.getTime()
}
