import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listEpssModels } from '../../worker/domain/scores/epss-models'
import { composeProbability, computeLev } from '../../worker/domain/scores/lev'

const past = (...values: [string, number][]) => values.map(([until, epss]) => ({ until, epss }))
test.each([
  ['no history', past(), 0.5, '2026-11-01', null],
  ['no EPSS any more', past(['2026-10-01', 0.1]), null, '2026-11-01', null],
  ['the day itself', past(['2026-11-01', 0.1]), 0.5, '2026-11-01', 0],
  ['half a window', past(['2026-10-17', 0.1]), 0.5, '2026-11-01', 0.25],
  ['a window and a half', past(['2026-09-17', 0.1]), 0.5, '2026-11-01', 1 - 0.5 * 0.75],
  ['a value that ended between', past(['2026-09-02', 0.1], ['2026-10-01', 0.2]), 0.5, '2026-11-01', 1 - 0.8 * 0.5],
])('LEV of %s', (_, history, epss, today, lev) => {
  const found = computeLev(history, { now: epss, today, models: [{ name: 'v6', since: '2026-10-20' }] })
  if (lev === null) expect(found).toBe(null)
  else expect(found?.lev).toBeCloseTo(lev, 10)
})

test('LEV lies between 0 and 1, never falls as days pass, and names the models that it crosses', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(share, share, fc.integer({ min: 0, max: 400 }), (first, second, days) => {
      const history = past(['2026-01-01', 0], ['2026-04-01', first])
      const at = (count: number) => new Date(Date.UTC(2026, 0, 1 + count)).toISOString().slice(0, 10)
      const [lev, later] = [days, days + 1].map(
        (count) => computeLev(history, { now: second, today: at(count), models: [] })?.lev ?? Number.NaN,
      )
      expect(lev).toBeGreaterThanOrEqual(0)
      expect(later).toBeLessThanOrEqual(1)
      expect(later).toBeGreaterThanOrEqual((lev ?? 0) - 1e-12)
    }),
  )
  const models = listEpssModels([])
  const crossed = (since: string) =>
    computeLev(past([since, 0.1]), { now: 0.2, today: '2026-11-01', models })?.new_models
  expect(crossed('2026-06-01')).toEqual([{ name: 'v5', since: '2026-06-15' }])
  expect(crossed('2026-06-15')).toEqual([])
  expect(composeProbability(0.2, false, 0.3)).toBe(0.3)
  expect(composeProbability(0.2, true, 0.3)).toBe(1)
  expect(composeProbability(null, false, null)).toBe(null)
})
