import { findKept, keep } from './kept'

const storageKey = 'time zone'

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** Null for a zone that this browser does not know. */
const clocks = new Map<string, Intl.DateTimeFormat | null>()

/** The clock of the zone that was chosen in this browser; nothing where it is the device's own. */
function findClock() {
  const zone = findKept(storageKey)
  if (zone === null) return null
  const known = clocks.get(zone)
  if (known !== undefined) return known
  const clock = makeClock(zone)
  clocks.set(zone, clock)
  return clock
}

function makeClock(timeZone: string) {
  const [numeric, twoDigits] = ['numeric', '2-digit'] as const
  const time = { hourCycle: 'h23', hour: twoDigits, minute: twoDigits } as const
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: numeric, month: twoDigits, day: twoDigits, ...time })
  } catch {
    return null
  }
}

export const findChosenZone = () => (findClock() ? findKept(storageKey) : null)
export const findShownZone = () => findChosenZone() ?? browserZone

/** Loads the page anew: shown times have the former zone. */
export function chooseZone(zone: string | null) {
  keep(storageKey, zone)
  window.location.reload()
}

const pad = (value: number) => String(value).padStart(2, '0')

/** YYYY-MM-DD HH:MM, as clocks of the shown zone say it. */
export function toWallClock(at: string | number) {
  const [date, clock] = [new Date(at), findClock()]
  if (!clock || Number.isNaN(date.getTime())) {
    const day = [date.getFullYear(), pad(date.getMonth() + 1), pad(date.getDate())].join('-')
    return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`
  }
  const part = Object.fromEntries(clock.formatToParts(date).map(({ type, value }) => [type, value]))
  return `${part['year']}-${part['month']}-${part['day']} ${part['hour']}:${part['minute']}`
}

const minute_ms = 60_000

/**
 * The time in UTC of clocks of the shown zone, such as '2026-11-27T08:00' or with seconds; undefined where it is no time. An
 * hour that they skip in spring is an hour later.
 */
export function fromWallClock(text: string) {
  const asUtc = Date.parse(`${text}Z`)
  if (Number.isNaN(asUtc)) return undefined
  const at = asUtc - findShift(asUtc - findShift(asUtc))
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** `day` is of the reader's calendar, the answer is in UTC. */
export const startOfDay = (day: string) => fromWallClock(`${day}T00:00:00`)

export const endOfDay = (day: string) => fromWallClock(`${day}T23:59:59`)

/** Milliseconds by which clocks of the shown zone are ahead of UTC. */
function findShift(at: number) {
  const minute = Math.floor(at / minute_ms) * minute_ms
  return Date.parse(`${toWallClock(minute).replace(' ', 'T')}Z`) - minute
}
