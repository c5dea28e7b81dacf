import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exploitAvailabilities, exploitMaturities, tlpLevels, trustLevels } from '../../worker/domain/words/exploit'
import {
  ageCaps,
  computeRating,
  formatExploitMetrics,
  formatRatedVector,
  ratingWeights,
  computeRelevancy,
  scoreBand,
  scoreWord,
} from '../../worker/domain/scores/rating'
import { eachCase } from '../support/each-case'

type Display = { vuln: number; threat: number; asset: number }
type ScreenRow = {
  vector: string
  vuln: string
  threat: string
  asset: string
  score_raw: number
  score: number
  display: Display
}
type RatedExploit = Parameters<typeof computeRelevancy>[0] & { age_days: number | null }
type RatingFacts = Omit<Parameters<typeof formatRatedVector>[0], 'exploit_metrics' | 'exploit_age_days'> & {
  exploits: RatedExploit[]
}
type Golden = {
  weights: typeof ratingWeights
  screen: ScreenRow[]
  vector_builder: { input: RatingFacts; expected: string }[]
  relevancy: (Omit<RatedExploit, 'age_days'> & { relevancy_level: number })[]
  cvss2_base: Record<string, number>
}

const golden = JSON.parse(readFileSync(new URL('../golden/rating.json', import.meta.url), 'utf8')) as Golden

const formatExploitedVector = ({ exploits, ...vuln }: RatingFacts) =>
  formatRatedVector({
    ...vuln,
    exploit_metrics: formatExploitMetrics(exploits),
    exploit_age_days: Math.max(0, ...exploits.map(({ age_days }) => age_days ?? 0)),
  })

const facts: RatingFacts = {
  cvss_vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P',
  vuln_age_days: 400,
  is_confirmed: false,
  is_in_the_news: false,
  is_in_the_wild: false,
  exploits: [],
}

test.each([
  ['AV:N/AC:L/Au:N/C:N/I:N/A:N/VX:0/EX:0/Cr:M/E:I/D:M', 0.8, 1.3, 1.8, 23],
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P/VX:100/EX:100/Cr:M/E:I/D:M', 4, 1.5, 1.8, 63],
  ['AV:N/AC:M/Au:N/C:N/I:C/A:C/VX:20/EX:0/Cr:M/E:I/D:M', 4.3, 1.3, 1.8, 65],
  ['AV:N/AC:M/Au:N/C:C/I:C/A:C/VX:20/EX:0/Cr:M/E:I/D:M', 4.6, 1.3, 1.8, 69],
  ['AV:L/AC:L/Au:S/C:C/I:P/A:C/R:T/VX:16/EA:U/EM:P/N:Y/EX:200/Cr:L/E:I/D:H', 3.5, 4.9, 2.1, 72],
  ['AV:N/AC:L/Au:N/C:C/I:C/A:C/CL:Y/R:O/VX:400/EA:U/EM:F/ET:H/N:Y/W:Y/EX:400/Cr:H/E:E/D:H', 5, 5, 4, 100],
])('%s is rated %d, %d and %d, in all %d', (vector, vuln, threat, asset, score) => {
  expect(computeRating(vector)).toMatchObject({ vuln, threat, asset, score })
})

test('every golden vector has its three sub-scores, its score and what is displayed', () => {
  const rated = golden.screen.map(({ vector }) => {
    const { vuln, threat, asset, ...scores } = computeRating(vector)
    return { vector, vuln: vuln.toFixed(1), threat: threat.toFixed(1), asset: asset.toFixed(1), ...scores }
  })
  const expected = golden.screen.map(({ vector, vuln, threat, asset, score_raw, score, display }) => ({
    vector,
    vuln,
    threat,
    asset,
    score_raw,
    score,
    display,
  }))
  expect(rated).toHaveLength(145)
  expect(rated).toEqual(expected)
})

test('the weights are the golden ones', () => expect(ratingWeights).toEqual(golden.weights))

test('every CVSS v2 base score counts for four tenths of itself', () => {
  const vectors = Object.entries(golden.cvss2_base ?? {})
  expect(vectors).toHaveLength(729)
  for (const [vector, base] of vectors) {
    const missed = Math.abs(computeRating(vector).vuln - Math.min(5, base / 2.5 + 0.75))
    expect(missed, vector).toBeLessThan(0.0501)
  }
})

test('a high or partial impact weighs as the complete or low one', () => {
  const rateImpact = (letter: string) => computeRating(`AV:N/AC:L/Au:S/C:${letter}/I:${letter}/A:${letter}`)
  expect(rateImpact('P')).toEqual(rateImpact('L'))
  expect(rateImpact('H')).toEqual(rateImpact('C'))
})

test('a score never leaves its scale, and a text that is no vector takes the defaults', () => {
  expect(computeRating('')).toMatchObject({ vuln: 0.8, threat: 1.3, asset: 1.8, score: 23 })
  expect(computeRating('AV:constructor/VX:soon/__proto__:1')).toEqual(computeRating(''))
  const lowest = 'AV:L/AC:H/Au:M/C:N/I:N/A:N/R:U/VX:0/EA:X/EM:X/ET:X/EX:0/Cr:L/E:R/D:L'
  expect(computeRating(lowest)).toMatchObject({ vuln: -0.5, threat: 1.3, asset: 0.8, score: 3, display: { vuln: 0 } })

  const letter = fc.constantFrom(...'N A L M H S C P U W T O X R F E I Y 7 99'.split(' '))
  const metric = fc
    .constantFrom('AV AC Au C I A CL R VX EA EM ET EX N W Cr E D'.split(' '))
    .chain((names) => fc.constantFrom(...names))
  const vector = fc.array(fc.tuple(metric, letter)).map((metrics) => metrics.map((pair) => pair.join(':')).join('/'))
  fc.assert(
    fc.property(fc.oneof(vector, fc.string()), (text) => {
      const { score, score_raw, display } = computeRating(text)
      expect(score).toBe(Math.trunc(score_raw))
      for (const value of [score, display.vuln, display.threat, display.asset]) {
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(100)
      }
    }),
  )
})

test('a rating changes on the day after an age cap and on no other day', () => {
  const scores = Array.from({ length: 400 }, (_, age_days) =>
    computeRating(
      formatExploitedVector({
        ...facts,
        cvss_vector: 'AV:N/AC:M/Au:S/C:P/I:P/A:N',
        vuln_age_days: age_days,
        exploits: [anExploit({ age_days })],
      }),
    ),
  )
  const changed = scores.flatMap(({ score_raw }, day) =>
    day > 0 && score_raw !== scores[day - 1]?.score_raw ? [day] : [],
  )
  expect(changed).toEqual(ageCaps.map((cap_days) => cap_days + 1))
})

eachCase<[RatingFacts, string]>({
  'without exploits': [facts, 'AV:N/AC:L/Au:N/C:P/I:P/A:P/VX:400/EA:X/EM:X/ET:X/EX:0'],
  'without a CVSS vector': [{ ...facts, cvss_vector: null }, 'VX:400/EA:X/EM:X/ET:X/EX:0'],
  'with every flag': [
    { ...facts, is_confirmed: true, is_in_the_news: true, is_in_the_wild: true },
    'AV:N/AC:L/Au:N/C:P/I:P/A:P/CL:Y/VX:400/EA:X/EM:X/ET:X/EX:0/N:Y/W:Y',
  ],
  'with the strongest of its exploits per metric and the oldest age': [
    {
      ...facts,
      exploits: [
        anExploit({ availability: 'private', maturity: 'functional', trust_level: 'low', age_days: 3 }),
        anExploit({ availability: 'public', maturity: 'poc', trust_level: 'trusted', age_days: null }),
        anExploit({ availability: 'unknown', maturity: 'unknown', trust_level: 'unknown', age_days: 46 }),
      ],
    },
    'AV:N/AC:L/Au:N/C:P/I:P/A:P/VX:400/EA:U/EM:F/ET:H/EX:46',
  ],
  'published tomorrow, with part of a day in an age': [
    { ...facts, vuln_age_days: -1, exploits: [anExploit({ age_days: 2.9 })] },
    'AV:N/AC:L/Au:N/C:P/I:P/A:P/VX:0/EA:U/EM:X/ET:H/EX:2',
  ],
})('a vulnerability %s has its vector', (given, expected) => expect(formatExploitedVector(given)).toBe(expected))

test('the facts of every golden vulnerability give its vector', () => {
  expect(golden.vector_builder).toHaveLength(20)
  expect(golden.vector_builder.map(({ input }) => formatExploitedVector(input))).toEqual(
    golden.vector_builder.map(({ expected }) => expected),
  )
})

test.each([
  ['unknown', 'unknown', 'unknown', 1],
  ['private', 'low', 'unknown', 2],
  ['public', 'unknown', 'unproven', 3],
  ['public', 'medium', 'unknown', 4],
  ['private', 'trusted', 'functional', 5],
] as const)(
  'a %s exploit of %s trust and %s maturity has relevancy %d',
  (availability, trust_level, maturity, level) => {
    expect(computeRelevancy({ availability, trust_level, maturity })).toBe(level)
  },
)

test('every combination of exploit facts has its golden relevancy', () => {
  expect(golden.relevancy).toHaveLength(60)
  expect(golden.relevancy.map(computeRelevancy)).toEqual(golden.relevancy.map(({ relevancy_level }) => relevancy_level))
})

test.each([
  [100, 'red', 'Critical'],
  [80, 'red', 'Critical'],
  [79, 'orange', 'High'],
  [60, 'orange', 'High'],
  [59, 'yellow', 'Medium'],
  [40, 'yellow', 'Medium'],
  [39, 'blue', 'Low'],
  [0, 'blue', 'Low'],
  [null, null, 'n/a'],
])('a score of %s is %s: %s', (score, band, word) => {
  expect(scoreBand(score)).toBe(band)
  expect(scoreWord(score)).toBe(word)
})

test('the enumerations of exploits are those of the specification', () => {
  expect(trustLevels).toEqual(['unknown', 'low', 'medium', 'high'])
  expect(tlpLevels).toEqual(['white', 'green', 'amber', 'red', 'black'])
  expect(exploitAvailabilities).toEqual(['unknown', 'private', 'public'])
  expect(exploitMaturities).toEqual(['unknown', 'unproven', 'poc', 'functional'])
})

function anExploit(given: Partial<RatedExploit>): RatedExploit {
  return { availability: 'public', maturity: 'unknown', trust_level: 'high', age_days: 0, ...given }
}
