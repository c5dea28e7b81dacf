export const reportKinds = ['daily', 'weekly', 'monthly'] as const
export type ReportKind = (typeof reportKinds)[number]

/** The organization's own clock: a time zone of IANA by its name. */
export type LocalClock = { time_zone: string; hour: number }

const formats = new Map<string, Intl.DateTimeFormat>()

function openFormat(time_zone: string) {
  const known = formats.get(time_zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: time_zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(time_zone, format)
  return format
}

/** Names of regions alone: an offset as +02:00 is no zone, since it knows of no summer. */
export function isTimeZone(time_zone: string) {
  if (time_zone !== 'UTC' && !/^[A-Z][A-Za-z_+-]*(\/[A-Za-z0-9_+-]+){1,2}$/.test(time_zone)) return false
  return isKnown(time_zone)
}

function isKnown(time_zone: string) {
  try {
    openFormat(time_zone)
    return true
  } catch {
    return false
  }
}

/** Local time of a zone, as if it were UTC. */
export const localTime = (time_zone: string, at: Date) => new Date(at.getTime() + offsetAt(time_zone, at))

/** Intl is slow, and clocks only change at quarters of an hour: one answer holds for a quarter. */
const quarter_ms = 900_000
const maxOffsets = 2_000
const offsets = new Map<string, number>()

function offsetAt(time_zone: string, at: Date) {
  const quarter = Math.floor(at.getTime() / quarter_ms)
  const key = `${quarter} ${time_zone}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  if (offsets.size >= maxOffsets) offsets.clear()
  const offset = readOffset(time_zone, new Date(quarter * quarter_ms))
  offsets.set(key, offset)
  return offset
}

function readOffset(time_zone: string, at: Date) {
  // Names leave the tables of zones (as US/Pacific-New did): one that is stored still counts as UTC, and stops nobody's reports.
  if (!isKnown(time_zone)) return 0
  const parts = openFormat(time_zone).formatToParts(at)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  const shown = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'))
  return shown - at.getTime()
}

/** The first report after a moment: when it is due, and the local day it bears, of which there is one a kind. */
export function nextReport(kind: ReportKind, { time_zone, hour }: LocalClock, after: Date) {
  const today = localTime(time_zone, after)
  // The day before is looked at too: a report due on a day that clocks leave out is due at its end.
  for (let add = -1; ; add++) {
    const day = firstDay(kind, today, add)
    const due = instantAt(time_zone, new Date(day.getTime() + hour * hour_ms))
    if (due > after) return { due, period: localTime(time_zone, due).toISOString().slice(0, 10) }
  }
}

/** When an organization's next daily report is due, or would be: alerts held for a report wait no longer. */
export const findHeldUntil = ({ time_zone, report_hour }: { time_zone: string; report_hour: number }, now: Date) =>
  nextReport('daily', { time_zone: time_zone || 'UTC', hour: report_hour }, now).due

/** When the report before this one was due: where its period begins. */
export function previousReport(kind: ReportKind, clock: LocalClock, due: Date) {
  const days = { daily: 3, weekly: 15, monthly: 63 }[kind]
  let before = nextReport(kind, clock, new Date(due.getTime() - days * 24 * hour_ms)).due
  for (;;) {
    const next = nextReport(kind, clock, before).due
    if (next >= due) return before
    before = next
  }
}

/** The last report that is due by now, from one that is due on: after an outage it tells of the whole time, instead of one for each missed day. */
export function lastReport(kind: ReportKind, clock: LocalClock, { due, now }: { due: Date; now: Date }) {
  for (let last = due; ;) {
    const next = nextReport(kind, clock, last).due
    if (next > now) return last
    last = next
  }
}

const hour_ms = 3_600_000

function firstDay(kind: ReportKind, today: Date, add: number) {
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()]
  if (kind === 'monthly') return new Date(Date.UTC(year, month + add, 1))
  if (kind === 'daily') return new Date(Date.UTC(year, month, day + add))
  const sinceMonday = (today.getUTCDay() + 6) % 7
  return new Date(Date.UTC(year, month, day - sinceMonday + 7 * add))
}

/** When the clocks of a zone show `local`: the first time where they show it twice, and where they leave it out as much later as they jump. */
export function instantAt(time_zone: string, local: Date) {
  const [earlier, later] = [-24, 24].map((hours) => {
    const near = new Date(local.getTime() + hours * hour_ms)
    return new Date(local.getTime() - (localTime(time_zone, near).getTime() - near.getTime()))
  }) as [Date, Date]
  const shows = (at: Date) => localTime(time_zone, at).getTime() === local.getTime()
  return shows(earlier) || !shows(later) ? earlier : later
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** "Sun 22 Nov 2026, 08:00" by the clocks of a zone. */
function formatLocal(time_zone: string, at: Date) {
  const local = localTime(time_zone, at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${days[local.getUTCDay()]} ${local.getUTCDate()} ${months[local.getUTCMonth()]} ${local.getUTCFullYear()}, ${two(local.getUTCHours())}:${two(local.getUTCMinutes())}`
}

type ReportPeriod = { kind: ReportKind; starts_at: string; ends_at: string; time_zone: string }

const usualDays = { daily: 1, weekly: 7, monthly: 31 }

/** "Fri 20 Nov 2026, 08:00 to Sat 21 Nov 2026, 08:00 (Europe/Berlin)", and that it is longer than those of its kind where reports were missed. */
export function formatPeriod({ kind, starts_at, ends_at, time_zone }: ReportPeriod) {
  const [start, end] = [new Date(starts_at), new Date(ends_at)]
  // Clocks that change, and another zone, move an end by some hours.
  const whole = Math.floor((end.getTime() - start.getTime() + 2 * hour_ms) / (24 * hour_ms))
  const missed = whole > usualDays[kind] ? `: ${whole} days, as no report was made in between` : ''
  return `${formatLocal(time_zone, start)} to ${formatLocal(time_zone, end)} (${time_zone})${missed}`
}
