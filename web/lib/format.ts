import { toWallClock } from './zone'

const numbers = new Intl.NumberFormat('en-US')
const percents = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})
// Made when it is needed: it takes time, and `early.ts` has none to lose.
let relative: Intl.RelativeTimeFormat | undefined

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** YYYY-MM-DD in the reader's time zone; a date without a time has no zone and stays as it is. */
export const formatDate = (at: string) => (isDateOnly(at) ? at : toWallClock(at)).slice(0, 10)

export const formatDateTime = (at: string) => (isDateOnly(at) ? at.slice(0, 10) : toWallClock(at))

export function formatRelative(at: string | number, now = new Date()) {
  const seconds = (new Date(at).getTime() - now.getTime()) / 1000
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['minute', 60]
  if (Math.abs(seconds) < 60) return 'now'
  relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  return relative.format(Math.round(seconds / size), unit)
}

export const isPast = (at: string, now = new Date()) => new Date(at) < now

export const formatCount = (count: number, isExact = true) => `${numbers.format(count)}${isExact ? '' : '+'}`

/** One decimal; a small share never reads as 0 %, nor a large one as 100 %. */
export function formatPercent(share: number) {
  if (share > 0 && share < 0.001) return '<0.1%'
  return percents.format(share < 1 ? Math.min(share, 0.999) : share)
}

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`

// A source that knows only the day is stored as midnight UTC (domain/words/moment).
const isDateOnly = (at: string) => at.length === 10 || at.endsWith('T00:00:00Z')

export const nameVuln = (id: number, cveid: string | null) => cveid ?? `PH-${id}`
