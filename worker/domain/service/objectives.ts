/** So many days stand on the page. */
export const statusDays = 90
/** Each objective is measured once in so many seconds. */
export const slot_s = 300
const slotsOfDay = 86_400 / slot_s
const day_ms = 86_400_000
/** Older measurements say nothing of now. */
const silent_s = 900

/** At least so much of the time, and at most so long. */
export const objectives = { percent: 99.5, alerts_p95_s: 300 }

/** In how many of the times that a feed was looked at on a day it was fresh, and whether it was at the last. */
export type FeedDay = { id: string; name: string; fresh: number; measured: number; is_fresh: boolean }

/** A day as measured; slots count from midnight, UTC. */
export type MeasuredDay = {
  day: string
  first_slot: number
  slot: number
  ready: number
  is_ready: boolean
  feeds: FeedDay[]
  alerts_p95_s: number | null
}

/** Findings of probes on a day, as `markLook` writes them. */
type OutsideDay = { day: string; slots: string }

/** Of a day, in the unit of its objective. A day that is not there was not measured. */
type ObjectiveDay = { day: string; value: number; is_met: boolean }

export type Objective = {
  id: string
  name: string
  unit: 'percent' | 'seconds'
  objective: number
  now: 'good' | 'bad' | 'unknown'
  /** Percent: over all measured days; seconds: of the newest measured one. */
  value: number | null
  is_met: boolean | null
  history: ObjectiveDay[]
}

const slotAt = (ms: number) => Math.floor((ms % day_ms) / (slot_s * 1000))
const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const slotStart = ({ day, slot }: MeasuredDay) => Date.parse(`${day}T00:00:00Z`) + slot * slot_s * 1000

/** The last days up to today, the oldest first. */
export const listStatusDays = (now: Date) =>
  Array.from({ length: statusDays }, (_, at) => dayAt(now.getTime() - (statusDays - 1 - at) * day_ms))

/** Rounded down: one miss is never 100 %. */
const toPercent = (good: number, total: number) => Math.floor((good / total) * 10_000) / 100

/** When the service was looked at last; null: never. */
export function findMeasured(days: MeasuredDay[]): Date | null {
  const newest = days.at(-1)
  return newest ? new Date(slotStart(newest)) : null
}

/**
 * How each objective is kept, from measured days (the oldest first, none of the future): the service itself, what probes saw of it if
 * there are any, its alerts, each feed by its name. Times without the clock, whole days too, count against availability; to a feed
 * they are not measured, nor to probes when nobody looked.
 */
export function computeObjectives(days: MeasuredDay[], now: Date, outside: OutsideDay[] = []): Objective[] {
  const newest = days.at(-1)
  const isSilent = !newest || now.getTime() - slotStart(newest) > (slot_s + silent_s) * 1000
  const stateNow = (isGood: boolean | undefined): Objective['now'] =>
    isSilent || isGood === undefined ? 'unknown' : isGood ? 'good' : 'bad'
  const names = new Map(days.flatMap(({ feeds }) => feeds.map(({ id, name }) => [id, name] as const)))
  const feeds = [...names].toSorted(([, a], [, b]) => a.localeCompare(b, 'en'))
  return [
    { ...inPercent(countReady(days, now)), id: 'availability', name: 'Availability', now: stateNow(newest?.is_ready) },
    ...outsideObjective(outside, now),
    alertObjective(days, now),
    ...feeds.map(([id, name]) => {
      const counted = days.flatMap((measured) => {
        const feed = measured.feeds.find((candidate) => candidate.id === id)
        return feed && feed.measured > 0 ? [{ day: measured.day, good: feed.fresh, total: feed.measured }] : []
      })
      const current = newest?.feeds.find((feed) => feed.id === id)
      return { ...inPercent(counted), id: `feed-${id}`, name, now: stateNow(current?.is_fresh) }
    }),
  ]
}

type Counted = { day: string; good: number; total: number }

function inPercent(counted: Counted[]) {
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
  const total = sum(counted.map((counts) => counts.total))
  const value = total ? toPercent(sum(counted.map(({ good }) => good)), total) : null
  const history = counted.map(({ day, good, total: all }) => {
    const share = toPercent(good, all)
    return { day, value: share, is_met: share >= objectives.percent }
  })
  const is_met = value === null ? null : value >= objectives.percent
  return { unit: 'percent' as const, objective: objectives.percent, value, is_met, history }
}

function countReady(days: MeasuredDay[], now: Date): Counted[] {
  const [first] = days
  if (!first) return []
  const known = new Map(days.map((measured) => [measured.day, measured]))
  const today = dayAt(now.getTime())
  const running = slotAt(now.getTime())
  return listStatusDays(now)
    .filter((day) => day >= first.day)
    .flatMap((day) => {
      const found = known.get(day)
      // The one that runs may be measured yet.
      const end = day === today ? Math.max(running, (found?.slot ?? -1) + 1) : slotsOfDay
      const total = end - (found?.first_slot ?? 0)
      return total > 0 ? [{ day, good: found?.ready ?? 0, total }] : []
    })
}

function outsideObjective(outside: OutsideDay[], now: Date): Objective[] {
  const counted = outside.flatMap(({ day, slots }) => {
    const good = slots.split('1').length - 1
    const total = good + slots.split('0').length - 1
    return total > 0 ? [{ day, good, total }] : []
  })
  if (!counted.length) return []
  const today = outside.find(({ day }) => day === dayAt(now.getTime()))?.slots ?? ''
  const running = slotAt(now.getTime())
  const lately = today.slice(Math.max(0, running - silent_s / slot_s), running + 1).replaceAll('.', '')
  const state = lately ? (lately.endsWith('1') ? 'good' : 'bad') : 'unknown'
  return [{ ...inPercent(counted), id: 'outside', name: 'Seen from outside', now: state }]
}

function alertObjective(days: MeasuredDay[], now: Date): Objective {
  const history = days.flatMap(({ day, alerts_p95_s: value }) =>
    value === null ? [] : [{ day, value, is_met: value <= objectives.alerts_p95_s }],
  )
  const newest = history.at(-1)
  const isOld = !newest || newest.day < dayAt(now.getTime() - 2 * day_ms)
  return {
    id: 'alerts',
    name: 'Alerts',
    unit: 'seconds',
    objective: objectives.alerts_p95_s,
    now: isOld ? 'unknown' : newest.is_met ? 'good' : 'bad',
    value: newest?.value ?? null,
    is_met: newest?.is_met ?? null,
    history,
  }
}

/** Fewer tell nothing, or something of one organization. */
const fewest = { messages: 20, orgs: 5 }

/** 95 of 100 messages left within so many seconds; `delays` are sorted. Null where there are too few to say so. */
export function findP95(delays: { seconds: number; messages: number }[], orgs: number) {
  const total = delays.reduce((sum, { messages }) => sum + messages, 0)
  if (total < fewest.messages || orgs < fewest.orgs) return null
  let left = Math.ceil(total * 0.95)
  return delays.find(({ messages }) => (left -= messages) <= 0)?.seconds ?? null
}

/** Of each five minutes of a day: '.' nobody looked, '1' every look found it available, '0' one did not. */
export const unseenSlots = '.'.repeat(slotsOfDay)

export type Look = { at: string; is_ok: boolean }

/** A look that found it away stands, whatever others saw within its five minutes; the same look twice changes nothing. `at` is of this day, in UTC. */
export function markLook(slots: string, { at, is_ok }: Look) {
  const place = slotAt(Date.parse(at))
  if (is_ok && slots[place] === '0') return slots
  return slots.slice(0, place) + (is_ok ? '1' : '0') + slots.slice(place + 1)
}
