import * as z from 'zod'
import type { paces } from './alert-rules'
import { isTimeZone, localTime, nextReport } from './report-times'

/** Another zone than UTC is named as Europe/Berlin. */
export const ZoneName = z
  .string()
  .max(100)
  .refine((name) => name === '' || isTimeZone(name), 'There is no such time zone. One is named as Europe/Berlin')

export type AlertTimes = {
  pace: (typeof paces)[number]
  /** Of the daily one, by the clock of the zone. */
  pace_hour: number
  /** Hours of the day between which it is quiet; equal: never. */
  quiet_from: number
  quiet_to: number
  /** A name of IANA; empty: UTC. */
  zone: string
}

export type QuietTimes = Pick<AlertTimes, 'quiet_from' | 'quiet_to' | 'zone'>

const hour_ms = 3_600_000

/** When a message that is not urgent may leave; `digest` where it waits for others. */
export function findDue({ pace, pace_hour, quiet_from, quiet_to, zone }: AlertTimes, now: Date) {
  const time_zone = zone || 'UTC'
  const start = {
    now,
    hourly: new Date(Math.floor(now.getTime() / hour_ms + 1) * hour_ms),
    daily: pace === 'daily' ? nextReport('daily', { time_zone, hour: pace_hour }, now).due : now,
  }[pace]
  const isDigest = pace !== 'now'
  if (!isQuiet(localTime(time_zone, start).getUTCHours(), quiet_from, quiet_to)) return { due: start, isDigest }
  return { due: nextReport('daily', { time_zone, hour: quiet_to }, start).due, isDigest }
}

/** When news that no pace gathers may leave: at once, or at the end of the quiet hours. */
export const findQuietEnd = (times: QuietTimes, now: Date) => findDue({ ...times, pace: 'now', pace_hour: 0 }, now).due

/** From an hour to the hour before another, over midnight where it is earlier. */
const isQuiet = (hour: number, from: number, to: number) =>
  from < to ? hour >= from && hour < to : from > to && (hour >= from || hour < to)

/** `2026-11-20 07:00 UTC`, of a stamp. */
export const utcMinute = (at: string) => `${at.slice(0, 16).replace('T', ' ')} UTC`
