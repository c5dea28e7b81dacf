import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { fromField, toField } from '../../web/cra/times'
import { formatDate, formatDateTime } from '../../web/lib/format'
import { browserZone, endOfDay, findChosenZone, findShownZone, startOfDay } from '../../web/lib/zone'

afterEach(() => localStorage.clear())

const choose = (zone: string) => localStorage.setItem('time zone', zone)

test.each([
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25 02:30'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25 02:30'],
  ['Europe/Berlin', '2026-12-31T23:30:00Z', '2027-01-01 00:30'],
  ['Asia/Kathmandu', '2026-11-27T06:30:00Z', '2026-11-27 12:15'],
  ['Pacific/Apia', '2026-11-27T12:00:01Z', '2026-11-28 01:00'],
  ['America/New_York', '2026-11-27T00:00:00Z', '2026-11-27'],
  ['UTC', '2026-11-27', '2026-11-27'],
])('in %s it is %s at %s', (zone, at, shown) => {
  choose(zone)
  expect([formatDateTime(at), formatDate(at)]).toEqual([shown, shown.slice(0, 10)])
})

test('a zone that the browser does not know is the one of the device', () => {
  choose('Mars/Olympus')
  expect([findChosenZone(), findShownZone()]).toEqual([null, browserZone])
})

test.each(['Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia', 'UTC'])(
  'a field of date and time shows in %s the moment that it is saved as',
  (zone) => {
    choose(zone)
    const minutes = fc.integer({ min: Date.UTC(2020) / 60_000, max: Date.UTC(2032) / 60_000 })
    fc.assert(
      fc.property(minutes, (minute) => {
        const field = toField(new Date(minute * 60_000).toISOString())
        expect(toField(fromField(field) ?? '')).toBe(field)
      }),
    )
    expect([fromField(''), fromField('tomorrow')]).toEqual([undefined, undefined])
  },
)

test('a field in spring and autumn', () => {
  choose('Europe/Berlin')
  expect(fromField('2026-03-29T03:30')).toBe('2026-03-29T01:30:00Z')
  expect(fromField('2026-10-25T03:30')).toBe('2026-10-25T02:30:00Z')
  expect([startOfDay('2026-10-25'), endOfDay('2026-10-25')]).toEqual(['2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z'])
  expect(startOfDay('')).toBe(undefined)
})
