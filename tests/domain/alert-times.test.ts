import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findDue, type AlertTimes } from '../../worker/domain/alerts/alert-times'
import { localTime } from '../../worker/domain/alerts/report-times'
import { eachCase } from '../support/each-case'

const anyTime: AlertTimes = { pace: 'now', pace_hour: 8, quiet_from: 0, quiet_to: 0, zone: 'Europe/Berlin' }
const night = { quiet_from: 22, quiet_to: 6 }

/** In Berlin 2 o'clock is missing on 2026-03-29, and comes twice on 2026-10-25. */
eachCase({
  'at once by day': [{}, '2026-03-28T12:00:00Z', '2026-03-28T12:00:00Z'],
  'at the end of the night': [night, '2026-03-27T23:30:00Z', '2026-03-28T05:00:00Z'],
  'at the end of a night that is an hour shorter': [night, '2026-03-28T23:30:00Z', '2026-03-29T04:00:00Z'],
  'at the end of a night that is an hour longer': [night, '2026-10-24T23:30:00Z', '2026-10-25T05:00:00Z'],
  'an hour later where its hour is missing': [
    { quiet_from: 22, quiet_to: 2 },
    '2026-03-28T23:30:00Z',
    '2026-03-29T01:00:00Z',
  ],
  'once in the hour that comes twice': [
    { pace: 'daily' as const, pace_hour: 2 },
    '2026-10-24T12:00:00Z',
    '2026-10-25T00:00:00Z',
  ],
  'by the full hour': [{ pace: 'hourly' as const }, '2026-10-25T00:10:00Z', '2026-10-25T01:00:00Z'],
  'daily, but not in the night': [
    { ...night, pace: 'daily' as const, pace_hour: 23 },
    '2026-03-28T12:00:00Z',
    '2026-03-29T04:00:00Z',
  ],
})('a message that is not urgent leaves %s', (own, now, due) => {
  expect(findDue({ ...anyTime, ...own }, new Date(now)).due).toEqual(new Date(due))
})

const hour = fc.integer({ min: 0, max: 23 })
const zones = ['', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia']
test('in every zone it leaves within two days and outside of the quiet hours, unless these leave a day no hour', () => {
  fc.assert(
    fc.property(
      fc.record({
        pace: fc.constantFrom('now' as const, 'hourly' as const, 'daily' as const),
        pace_hour: hour,
        quiet_from: hour,
        quiet_to: hour,
        zone: fc.constantFrom(...zones),
      }),
      fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
      (times, now) => {
        const { due } = findDue(times, now)
        const { quiet_from: from, quiet_to: to } = times
        expect(due.getTime()).toBeGreaterThanOrEqual(now.getTime())
        expect(due.getTime() - now.getTime()).toBeLessThanOrEqual(50 * 3_600_000)
        const local = localTime(times.zone || 'UTC', due).getUTCHours()
        const isQuiet = from < to ? local >= from && local < to : from > to && (local >= from || local < to)
        // The one hour that is left may be missing in a night of the year.
        if (isQuiet) expect((to + 1) % 24 === from || (to + 2) % 24 === from).toBe(true)
      },
    ),
  )
})
