import { beforeEach, expect, test, vi } from 'vitest'
import { describeLeft, formatDeadline, fromField, toField } from '../../web/cra/times'
import { noteVisit } from '../../web/home/last-visit'

beforeEach(() => localStorage.clear())

test('a visit begins after a pause, and remembers when the one before it was', () => {
  const at = (time: string) => noteVisit(new Date(`2026-11-20T${time}Z`))
  expect(at('08:00:00')).toBeUndefined()
  expect(at('08:20:00')).toBeUndefined()
  expect(at('09:00:00')).toBe('2026-11-20T08:20:00Z')
  expect(at('09:10:00')).toBe('2026-11-20T08:20:00Z')
  expect(at('17:00:00')).toBe('2026-11-20T09:10:00Z')
  localStorage.setItem('EarshotVisits', 'broken')
  expect(at('18:00:00')).toBeUndefined()
})

test('a browser that keeps nothing knows of no visit', () => {
  const refuse = () => {
    throw new DOMException('The operation is insecure', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  expect(noteVisit(new Date('2026-11-20T08:00:00Z'))).toBeUndefined()
  expect(noteVisit(new Date('2026-11-20T18:00:00Z'))).toBeUndefined()
})

test.each([
  ['2026-11-27T08:30:00Z', '1 day 0 h left'],
  ['2026-11-29T11:00:00Z', '3 days 2 h left'],
  ['2026-11-26T13:42:30Z', '5 h 12 min left'],
  ['2026-11-26T08:30:59Z', '0 min left'],
  ['2026-11-26T08:29:59Z', 'overdue by 1 min'],
  ['2026-11-24T06:30:00Z', 'overdue by 2 days 2 h'],
])('until %s there is "%s"', (due, words) => {
  expect(describeLeft(due, new Date('2026-11-26T08:30:00Z'))).toBe(words)
})

test('a field of date and time shows and takes the reader’s zone, and midnight is a time', () => {
  expect(fromField(toField('2026-11-26T08:30:00Z'))).toBe('2026-11-26T08:30:00Z')
  expect([fromField(''), fromField('soon')]).toEqual([undefined, undefined])
  expect(formatDeadline('2026-11-27T00:00:00Z')).toMatch(/ \d\d:\d\d$/)
})
