import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeRating } from '../../worker/domain/scores/rating'
import {
  defaultRating,
  formatRatingVector,
  parseRatingVector,
  ratingCodes,
  ratingMetrics,
} from '../../worker/domain/scores/rating-vector'
import type { RatingMetric } from '../../worker/domain/scores/rating-vector'

const base = 'AV:N/AC:L/Au:N/C:L/I:L/A:L'

test('the default rating is that of the specification', () => {
  expect(formatRatingVector(defaultRating)).toBe('AV:N/AC:L/Au:N/C:N/I:N/A:N/VX:0/EX:0/Cr:M/E:I/D:M')
})

test('a vector is read whatever its order, and written in the order of the specification', () => {
  const { metrics, wrong } = parseRatingVector(` W:Y/D:H/EX:046/${base}/R:O/CL:Y `)
  expect(wrong).toEqual([])
  expect(metrics).toEqual({
    AV: 'N',
    AC: 'L',
    Au: 'N',
    C: 'L',
    I: 'L',
    A: 'L',
    CL: 'Y',
    R: 'O',
    EX: '46',
    W: 'Y',
    D: 'H',
  })
  expect(formatRatingVector(metrics)).toBe(`${base}/CL:Y/R:O/EX:46/W:Y/D:H`)
})

test('an impact of P is read as L and one of H as C', () => {
  expect(parseRatingVector('C:P/I:H/A:C').metrics).toEqual({ C: 'L', I: 'C', A: 'C' })
})

test.each([
  ['AV:Q', 'AV is one of L, A, N'],
  ['AV:P', 'AV is one of L, A, N'],
  ['Au:X', 'Au is one of M, S, N'],
  ['AV', 'AV is one of L, A, N'],
  ['AV:N:N', 'AV is one of L, A, N'],
  ['EM:toString', 'EM is one of X, U, P, F'],
  ['CL:N', 'CL is Y or left out'],
  ['VX:soon', 'VX is a number of days'],
  ['VX:-1', 'VX is a number of days'],
  ['EX:1234567', 'EX is a number of days'],
  ['av:N', 'is no metric of a rating'],
  ['PR:N', 'is no metric of a rating'],
  ['constructor:N', 'is no metric of a rating'],
  ['', 'is no metric of a rating'],
])('the wrong token %s is named', (token, reason) => {
  expect(parseRatingVector(`Cr:H/${token}/D:L`)).toEqual({ metrics: { Cr: 'H', D: 'L' }, wrong: [{ token, reason }] })
})

test('a metric that is given twice is named, and the first one counts', () => {
  expect(parseRatingVector('R:X/R:O').wrong).toEqual([{ token: 'R:O', reason: 'R is given twice' }])
  expect(parseRatingVector('AV:L/AV:N').metrics).toEqual({ AV: 'L' })
})

test('a vector that was read weighs as much as the written one', () => {
  const token = fc.constantFrom(...ratingCodes).chain((code) => {
    const metric: RatingMetric = ratingMetrics[code]
    if (metric.kind === 'mark') return fc.constant(`${code}:Y`)
    if (metric.kind === 'age') return fc.nat({ max: 999_999 }).map((days) => `${code}:${days}`)
    const letters = Object.keys(metric.values).concat('CIA'.includes(code) ? ['P', 'H'] : [])
    return fc.constantFrom(...letters).map((letter) => `${code}:${letter}`)
  })
  const vector = fc
    .uniqueArray(token, { minLength: 1, selector: (one) => one.split(':')[0] })
    .map((tokens) => tokens.join('/'))
  fc.assert(
    fc.property(vector, (text) => {
      const { metrics, wrong } = parseRatingVector(text)
      expect(wrong).toEqual([])
      expect(computeRating(formatRatingVector(metrics))).toEqual(computeRating(text))
      expect(parseRatingVector(formatRatingVector(metrics)).metrics).toEqual(metrics)
    }),
    { numRuns: 500 },
  )
})

test('any text is read, and its mistakes are named', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const { metrics, wrong } = parseRatingVector(text)
      expect(wrong.length + Object.keys(metrics).length).toBeGreaterThan(0)
    }),
  )
})
