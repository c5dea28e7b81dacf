/** Time is stored in UTC as YYYY-MM-DDTHH:MM:SSZ, which sorts as text. */
export function stamp(date: Date) {
  const ms = date.getTime()
  if (ms !== last.ms) last = { ms, text: `${date.toISOString().slice(0, 19)}Z` }
  return last.text
}
/** A merge asks for the same time thousands of times. */
let last = { ms: NaN, text: '' }

/** Large tables hold times as seconds since 1970. */
export const toSeconds = (time: string) => Math.floor(Date.parse(time) / 1000)
export const formatSeconds = (seconds: number) => stamp(new Date(seconds * 1000))

export const plusSeconds = (date: Date, seconds: number) => new Date(date.getTime() + seconds * 1000)

export const plusDays = (date: Date, days: number) => plusSeconds(date, days * 86_400)

/** In UTC. */
export const toDay = (date: Date) => stamp(date).slice(0, 10)
export const shiftDay = (day: string, days: number) => toDay(plusDays(new Date(`${day}T00:00:00Z`), days))

/** A second after `before` if that is later than now, so that two edits within a second are told apart. */
export const laterThan = (before: string | null, now: Date) =>
  before !== null && stamp(now) <= before ? plusSeconds(new Date(before), 1) : now

/** Clocks of two places differ by less. A later time was written while a clock was wrong, and its row must not live until then. */
export const latest = (now: Date) => stamp(plusSeconds(now, 60))
