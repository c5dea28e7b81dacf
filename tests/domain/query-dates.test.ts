import { expect, test } from 'vitest'
import { compareDaysAhead, isDate, parseAge, parseDateSpan } from '../../worker/domain/query/dates'

const now = new Date('2026-03-31T12:30:00Z')
const iso = (time: number) => new Date(time).toISOString().replace('.000', '')

test.each([
  ['24h', '2026-03-30T12:30:00Z'],
  ['7d', '2026-03-24T12:30:00Z'],
  ['2w', '2026-03-17T12:30:00Z'],
  ['1mo', '2026-02-28T12:30:00Z'],
  ['13mo', '2025-02-28T12:30:00Z'],
  ['1y', '2025-03-31T12:30:00Z'],
])('%s before a last of March is %s', (age, moment) => expect(iso(parseAge(age, now))).toBe(moment))

test.each([
  ['2026-02-28', '2026-02-28T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['today', '2026-03-31T00:00:00Z', '2026-04-01T00:00:00Z'],
  ['yesterday', '2026-03-30T00:00:00Z', '2026-03-31T00:00:00Z'],
  ['2026-02-28T08:00', '2026-02-28T08:00:00Z', '2026-02-28T08:00:01Z'],
])('%s goes from %s until before %s', (date, from, until) => {
  const span = parseDateSpan(date, now)
  expect([iso(span.from), iso(span.until)]).toEqual([from, until])
})

test.each([
  ['lte', '7d', '2026-03-31T00:00:00Z', '2026-04-08T00:00:00Z'],
  ['eq', '7d', '2026-03-31T00:00:00Z', '2026-04-08T00:00:00Z'],
  ['lt', '7d', '2026-03-31T00:00:00Z', '2026-04-07T00:00:00Z'],
  ['gt', '1mo', '2026-05-01T00:00:00Z', null],
  ['gte', '2w', '2026-04-14T00:00:00Z', null],
  ['lt', 'today', null, '2026-03-31T00:00:00Z'],
  ['lte', '2026-04-02', null, '2026-04-03T00:00:00Z'],
] as const)('of days ahead %s %s goes from %s until before %s', (op, text, from, until) => {
  const span = compareDaysAhead(op, text, now)
  const write = (time: number | undefined) => (time === undefined ? null : iso(time))
  expect([write(span.from), write(span.until)]).toEqual([from, until])
})

test.each('2026-02-30 2026-13-01 26-01-01 7 7x d -7d 99999d tomorrow 2026-01-01T25:00:00Z'.split(' '))(
  '%s is no date',
  (text) => expect(isDate(text)).toBe(false),
)
