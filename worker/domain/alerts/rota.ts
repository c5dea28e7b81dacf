import * as z from 'zod'
import { instantAt, isTimeZone, localTime } from './report-times'

const maxPeople = 50
const maxSwaps = 100

const stamp = (at: Date) => `${at.toISOString().slice(0, 19)}Z`

const Person = z.int().positive().max(Number.MAX_SAFE_INTEGER)
/** With seconds and zone, as it is stored. */
const Instant = z.iso.datetime().transform((text) => stamp(new Date(text)))
const Swap = z
  .strictObject({ user_id: Person, from: Instant, to: Instant })
  .refine(({ from, to }) => from < to, { error: 'It ends before it begins', path: ['to'] })

/** Somebody else for a span, whatever the weeks say. */
export type Swap = z.output<typeof Swap>

/** Members who are on duty a week each, in this order, from a day and hour by the clocks of a zone. */
export const Rota = z.strictObject({
  zone: z
    .string()
    .max(100)
    .refine(isTimeZone, { error: 'There is no such time zone. One is named as Europe/Berlin', abort: true })
    .meta({ examples: ['Europe/Berlin'] }),
  starts_on: z.iso.date().refine((day) => day > '2000' && day < '2100', 'A day of this century'),
  hour: z.int().min(0).max(23),
  /** Numbers of users. */
  people: z.array(Person).min(1, 'Somebody is needed').max(maxPeople),
  swaps: z
    .array(Swap)
    .max(maxSwaps)
    .refine((swaps) => !isOverlapping(swaps), 'Two swaps are for the same time'),
})
export type Rota = z.output<typeof Rota>

function isOverlapping(swaps: Swap[]) {
  const ordered = swaps.toSorted((a, b) => Number(a.from > b.from) - Number(a.from < b.from))
  return ordered.some(({ from }, at) => from < (ordered[at - 1]?.to ?? ''))
}

/** Whether a user is a member who may be written to. */
type CanTake = (user_id: number) => boolean

export type Turn = {
  from: string
  to: string
  /** Null: nobody. */
  user_id: number | null
  /** The member on duty by the weeks alone. */
  usual_id: number | null
}

const day_ms = 86_400_000

/** When week `number`, from 0, begins: at the same hour by the clocks of the zone, also where they were changed. */
const startWeek = ({ zone, starts_on, hour }: Rota, number: number) =>
  instantAt(zone, new Date(Date.parse(starts_on) + number * 7 * day_ms + hour * 3_600_000))

/** Below 0 before the first. */
function findWeek(rota: Rota, at: Date) {
  const shown = localTime(rota.zone, at).getTime() - Date.parse(rota.starts_on) - rota.hour * 3_600_000
  const near = Math.floor(shown / (7 * day_ms))
  // When clocks jump over the hour of the change, their time is a week off.
  return [near + 1, near].find((number) => startWeek(rota, number) <= at) ?? near - 1
}

/** An absent member is skipped: the next in the order has that week, too, and all others keep theirs. */
function findUsual({ people }: Rota, canTake: CanTake, week: number) {
  if (week < 0) return null
  const ordered = people.map((_, at) => people[(week + at) % people.length] ?? 0)
  return ordered.find(canTake) ?? null
}

function findTurnAt(rota: Rota, canTake: CanTake, at: Date) {
  const usual_id = findUsual(rota, canTake, findWeek(rota, at))
  const now = stamp(at)
  const swap = rota.swaps.find(({ user_id, from, to }) => from <= now && now < to && canTake(user_id))
  return { user_id: swap?.user_id ?? usual_id, usual_id }
}

/** Null: nobody, as before it begins or when all have left. */
export const findOnDuty = (rota: Rota, canTake: CanTake, at: Date) => findTurnAt(rota, canTake, at).user_id

/** The turn that runs and those after it until `weeks` further weeks have begun and ended, cut where a swap begins or ends. */
export function listTurns(rota: Rota, canTake: CanTake, now: Date, weeks: number): Turn[] {
  const first = findWeek(rota, now)
  const starts = Array.from({ length: weeks + 2 }, (_, add) => stamp(startWeek(rota, first + add)))
  const [begin = '', end = ''] = [starts[0], starts.at(-1)]
  const cuts = rota.swaps.flatMap(({ from, to }) => [from, to]).filter((at) => at > begin && at < end)
  const bounds = [...new Set([...starts, ...cuts])].toSorted()
  return bounds.flatMap((from, at) => {
    const to = bounds[at + 1]
    if (to === undefined || to <= stamp(now)) return []
    return [{ from, to, ...findTurnAt(rota, canTake, new Date(from)) }]
  })
}

/** The swaps with somebody for a span, which may cut others; a member on duty by the weeks alone needs none there. */
export function swapFor(swaps: Swap[], { from, to, user_id }: Omit<Swap, 'user_id'> & { user_id: number | null }) {
  const others = swaps.flatMap((swap) => {
    if (swap.to <= from || swap.from >= to) return [swap]
    const [before, after] = [
      { ...swap, to: from },
      { ...swap, from: to },
    ]
    return [before, after].filter((part) => part.from < part.to)
  })
  return user_id === null ? others : [...others, { user_id, from, to }]
}
