import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTimeZone, localTime, nextReport, previousReport, reportKinds } from '../../worker/domain/alerts/report-times'
import type { ReportKind } from '../../worker/domain/alerts/report-times'

const zones = [
  ...'UTC Europe/Berlin America/New_York America/St_Johns Asia/Kolkata'.split(' '),
  ...'Asia/Kathmandu Australia/Lord_Howe Pacific/Chatham Pacific/Apia Africa/Casablanca'.split(' '),
]
const show = (kind: ReportKind, time_zone: string, hour: number, after: string) => {
  const { due, period } = nextReport(kind, { time_zone, hour }, new Date(after))
  return `${due.toISOString().slice(0, 16)} ${period}`
}

test.each([
  // A skipped hour moves by as much as the clocks jump; of a repeated hour the first counts.
  ['daily', 'Europe/Berlin', 2, '2026-03-28T12:00Z', '2026-03-29T01:00 2026-03-29'],
  ['daily', 'Europe/Berlin', 2, '2026-10-24T12:00Z', '2026-10-25T00:00 2026-10-25'],
  ['daily', 'Europe/Berlin', 2, '2026-10-25T00:00Z', '2026-10-26T01:00 2026-10-26'],
  ['daily', 'America/New_York', 8, '2026-03-07T13:00Z', '2026-03-08T12:00 2026-03-08'],
  ['daily', 'Asia/Kolkata', 8, '2026-11-22T02:30Z', '2026-11-23T02:30 2026-11-23'],
  ['daily', 'Australia/Lord_Howe', 2, '2026-10-03T00:00Z', '2026-10-03T15:30 2026-10-04'],
  ['daily', 'UTC', 8, '2028-02-28T08:00Z', '2028-02-29T08:00 2028-02-29'],
  ['weekly', 'Europe/Berlin', 8, '2026-11-22T12:00Z', '2026-11-23T07:00 2026-11-23'],
  ['weekly', 'Europe/Berlin', 8, '2026-03-29T12:00Z', '2026-03-30T06:00 2026-03-30'],
  ['monthly', 'Europe/Berlin', 8, '2026-12-01T07:00Z', '2027-01-01T07:00 2027-01-01'],
  ['monthly', 'UTC', 0, '2028-02-29T23:59Z', '2028-03-01T00:00 2028-03-01'],
  // Apia had no 30 December 2011.
  ['daily', 'Pacific/Apia', 8, '2011-12-29T19:00Z', '2011-12-30T18:00 2011-12-31'],
  ['daily', 'Pacific/Apia', 8, '2011-12-30T18:00Z', '2011-12-31T18:00 2012-01-01'],
] as const)('a %s report in %s at %i, after %s, is due at %s', (kind, zone, hour, after, due) =>
  expect(show(kind, zone, hour, after)).toBe(due),
)

const years = { min: new Date('1996-01-01T00:00:00Z'), max: new Date('2036-01-01T00:00:00Z'), noInvalidDate: true }
const anyClock = fc.record({ time_zone: fc.constantFrom(...zones), hour: fc.integer({ min: 0, max: 23 }) })
const anyKind = fc.constantFrom(...reportKinds)
const day_ms = 86_400_000

test('each local period has one report, and none two, over every change of the clocks', () => {
  fc.assert(
    fc.property(anyKind, anyClock, fc.date(years), (kind, clock, from) => {
      let last = nextReport(kind, clock, from)
      expect(last.due > from).toBe(true)
      for (let step = 0; step < 8; step++) {
        const next = nextReport(kind, clock, last.due)
        expect(next.due > last.due).toBe(true)
        const days = (Date.parse(next.period) - Date.parse(last.period)) / day_ms
        if (kind === 'daily' && last.period !== '2011-12-29') expect(days).toBe(1)
        if (kind === 'weekly') expect([days, new Date(next.period).getUTCDay()]).toEqual([7, 1])
        if (kind === 'monthly') expect([days >= 28 && days <= 31, next.period.slice(8)]).toEqual([true, '01'])
        expect(previousReport(kind, clock, next.due)).toEqual(last.due)
        last = next
      }
    }),
    { numRuns: 120 },
  )
})

test('it is due at its hour, or within two hours where the clocks leave that out', () => {
  fc.assert(
    fc.property(anyClock, fc.date(years), (clock, from) => {
      const { due, period } = nextReport('daily', clock, from)
      const late_ms = localTime(clock.time_zone, due).getTime() - Date.parse(period) - clock.hour * 3_600_000
      expect(late_ms >= 0 && late_ms <= 7_200_000).toBe(true)
    }),
    { numRuns: 600 },
  )
})

test('a time zone is the name of a region, not an offset and not what nobody knows', () => {
  expect(zones.filter((zone) => !isTimeZone(zone))).toEqual([])
  for (const wrong of ['', 'Berlin', '+02:00', 'UTC+2', 'Europe/Nowhere', 'Europe/../etc', 'x'.repeat(300)])
    expect(isTimeZone(wrong)).toBe(false)
})
