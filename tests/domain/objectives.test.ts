import { expect, test } from 'vitest'
import { computeObjectives, findP95, listStatusDays, type MeasuredDay } from '../../worker/domain/service/objectives'

const now = new Date('2026-11-20T12:02:00Z')
const aDay = (day: string, given: Partial<MeasuredDay> = {}): MeasuredDay => ({
  day,
  first_slot: 0,
  slot: 287,
  ready: 288,
  is_ready: true,
  feeds: [],
  alerts_p95_s: null,
  ...given,
})
const availability = (...days: MeasuredDay[]) => computeObjectives(days, now)[0]

test.each([
  ['all of it', { slot: 143, ready: 144 }, 100, 'good', true],
  ['the running five minutes do not count before they are measured', { slot: 144, ready: 145 }, 100, 'good', true],
  ['one of 144 missed is never all', { slot: 143, ready: 143 }, 99.3, 'good', false],
  ['late at the last look', { slot: 144, ready: 144, is_ready: false }, 99.31, 'bad', false],
  ['silent since eleven', { slot: 132, ready: 133 }, 92.36, 'unknown', false],
  ['it began at eleven', { first_slot: 132, slot: 144, ready: 13 }, 100, 'good', true],
] as const)('availability today: %s', (_, given, value, state, is_met) => {
  expect(availability(aDay('2026-11-20', given))).toMatchObject({ value, now: state, is_met })
})

test('without any measurement nothing is good, and a day of silence is one without service', () => {
  expect(availability()).toMatchObject({ now: 'unknown', value: null, is_met: null, history: [] })
  const found = availability(aDay('2026-11-18'), aDay('2026-11-20', { slot: 144, ready: 145 }))
  expect(found?.history.map(({ value }) => value)).toEqual([100, 0, 100])
  expect(listStatusDays(now)).toHaveLength(90)
  expect(listStatusDays(now).at(-1)).toBe('2026-11-20')
})

const feed = (fresh: number, measured: number, is_fresh = true) => ({
  id: 'kev',
  name: 'KEV',
  fresh,
  measured,
  is_fresh,
})

test('a feed is judged by the times at which it was looked at', () => {
  const days = [
    aDay('2026-11-19', { feeds: [feed(143, 144)] }),
    aDay('2026-11-20', { slot: 144, feeds: [feed(144, 144)] }),
  ]
  expect(computeObjectives(days, now)[2]).toEqual({
    id: 'feed-kev',
    name: 'KEV',
    unit: 'percent',
    objective: 99.5,
    now: 'good',
    value: 99.65,
    is_met: true,
    history: [
      { day: '2026-11-19', value: 99.3, is_met: false },
      { day: '2026-11-20', value: 100, is_met: true },
    ],
  })
  const gone = [...days, aDay('2026-11-20', { slot: 144, feeds: [] })]
  expect(computeObjectives(gone, now)[2]?.now).toBe('unknown')
})

test.each([
  [
    'the time of the 95th of 100',
    [
      [10, 94],
      [20, 1],
      [900, 5],
    ],
    5,
    20,
  ],
  [
    'of the next one when a sixth is late',
    [
      [10, 94],
      [900, 6],
    ],
    5,
    900,
  ],
  ['nothing of fewer than twenty messages', [[10, 19]], 5, null],
  ['nothing of fewer than five organizations', [[10, 1000]], 4, null],
  ['nothing of none', [], 0, null],
] as const)('alerts: %s', (_, groups, orgs, seconds) => {
  expect(
    findP95(
      groups.map(([delay, messages]) => ({ seconds: delay, messages })),
      orgs,
    ),
  ).toBe(seconds)
})
