import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findOnDuty, listTurns, Rota, swapFor } from '../../worker/domain/alerts/rota'

const aRota = (given: Partial<Rota> = {}): Rota => ({
  zone: 'Europe/Berlin',
  starts_on: '2026-03-02',
  hour: 9,
  people: [1, 2, 3],
  swaps: [],
  ...given,
})
const all = () => true
const swap = { user_id: 9, from: '2026-03-05T00:00:00Z', to: '2026-03-06T00:00:00Z' }

test.each([
  ['nobody before it begins', {}, '2026-03-02T07:59:59Z', null],
  ['the first from its hour in the zone', {}, '2026-03-02T08:00:00Z', 1],
  ['the second a week later', {}, '2026-03-09T08:00:00Z', 2],
  ['until the hour of summer time', {}, '2026-03-30T06:59:59Z', 1],
  ['the next at the hour of summer time', {}, '2026-03-30T07:00:00Z', 2],
  ['the hour that is left out, later', { starts_on: '2026-03-22', hour: 2 }, '2026-03-29T00:59:59Z', 1],
  ['as much later as clocks jump', { starts_on: '2026-03-22', hour: 2 }, '2026-03-29T01:00:00Z', 2],
  ['the first of an hour shown twice', { starts_on: '2026-10-18', hour: 2 }, '2026-10-25T00:00:00Z', 2],
  ['and it stays so the second time', { starts_on: '2026-10-18', hour: 2 }, '2026-10-25T01:00:00Z', 2],
  ['a swap', { swaps: [swap] }, '2026-03-05T12:00:00Z', 9],
  ['no swap once it ended', { swaps: [swap] }, '2026-03-06T00:00:00Z', 1],
  ['one alone always', { people: [4] }, '2029-07-01T00:00:00Z', 4],
  ['a day that a zone left out', { zone: 'Pacific/Apia', starts_on: '2011-12-23', hour: 8 }, '2011-12-30T18:00:00Z', 2],
] as const)('on duty is %s', (_, given, at, expected) =>
  expect(findOnDuty(aRota(given as Partial<Rota>), all, new Date(at))).toBe(expected),
)

test('an absent member is skipped, and nobody else moves', () => {
  const weeks = [0, 1, 2, 3, 4].map((week) => new Date(Date.parse('2026-03-02T12:00:00Z') + week * 7 * 86_400_000))
  const onDuty = (gone: number[], rota = aRota()) => weeks.map((at) => findOnDuty(rota, (id) => !gone.includes(id), at))
  expect(onDuty([])).toEqual([1, 2, 3, 1, 2])
  expect(onDuty([2])).toEqual([1, 3, 3, 1, 3])
  expect(onDuty([1, 2, 3])).toEqual([null, null, null, null, null])
  expect(onDuty([9], aRota({ swaps: [{ ...swap, from: '2026-03-01T00:00:00Z' }] }))).toEqual([1, 2, 3, 1, 2])
})

test('turns are cut where a swap begins and ends, and say who would be without it', () => {
  const turns = listTurns(aRota({ swaps: [swap] }), all, new Date('2026-03-03T00:00:00Z'), 1)
  expect(turns).toEqual([
    { from: '2026-03-02T08:00:00Z', to: '2026-03-05T00:00:00Z', user_id: 1, usual_id: 1 },
    { from: '2026-03-05T00:00:00Z', to: '2026-03-06T00:00:00Z', user_id: 9, usual_id: 1 },
    { from: '2026-03-06T00:00:00Z', to: '2026-03-09T08:00:00Z', user_id: 1, usual_id: 1 },
    { from: '2026-03-09T08:00:00Z', to: '2026-03-16T08:00:00Z', user_id: 2, usual_id: 2 },
  ])
})

test('a swap for a span cuts those that it meets', () => {
  const at = (day: number) => `2026-03-0${day}T00:00:00Z`
  const long = { user_id: 9, from: at(2), to: at(8) }
  const span = { from: at(4), to: at(5) }
  const [before, after] = [
    { ...long, to: at(4) },
    { ...long, from: at(5) },
  ]
  expect(swapFor([long], { ...span, user_id: 1 })).toEqual([before, after, { ...span, user_id: 1 }])
  expect(swapFor([long], { ...span, user_id: null })).toEqual([before, after])
  expect(swapFor([{ ...span, user_id: 2 }], { from: at(2), to: at(8), user_id: null })).toEqual([])
  expect(swapFor([{ ...span, user_id: 2 }], { from: at(5), to: at(6), user_id: 1 })).toHaveLength(2)
})

test('turns follow each other without a gap whatever the zone and the moment, and the first of them runs', () => {
  const anyRota = fc.record({
    zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'),
    starts_on: fc.date({ min: new Date('2010-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }),
    hour: fc.integer({ min: 0, max: 23 }),
    at: fc.date({ min: new Date('2009-06-01'), max: new Date('2032-01-01'), noInvalidDate: true }),
  })
  fc.assert(
    fc.property(anyRota, ({ zone, starts_on, hour, at }) => {
      const rota = aRota({ zone, hour, starts_on: starts_on.toISOString().slice(0, 10), swaps: [swap] })
      const now = new Date(Math.floor(at.getTime() / 1000) * 1000)
      const turns = listTurns(rota, all, now, 4)
      const [first] = turns
      expect(first && Date.parse(first.from) <= now.getTime() && now.getTime() < Date.parse(first.to)).toBe(true)
      for (const [place, { to, from, user_id }] of turns.entries()) {
        expect(turns[place + 1]?.from ?? to).toBe(to)
        expect(findOnDuty(rota, all, new Date(Date.parse(to) - 1000))).toBe(user_id)
        expect(from < to).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test.each([
  [{ people: [] }],
  [{ zone: 'Berlin' }],
  [{ starts_on: '2026-02-30' }],
  [{ hour: 24 }],
  [{ swaps: [{ ...swap, to: swap.from }] }],
  [{ swaps: [swap, { ...swap, user_id: 1, from: '2026-03-05T23:00:00Z', to: '2026-03-07T00:00:00Z' }] }],
])('%j is refused', (given) => expect(Rota.safeParse({ ...aRota(), ...given }).success).toBe(false))
