import { expect, test } from 'vitest'
import {
  parseAccess,
  cvssBand,
  type CvssVersion,
  explainVector,
  parseImpact,
  parseVector,
  severity,
  v2Letters,
  vectorProblem,
  writeV2Vector,
} from '../../worker/domain/scores/cvss'

const log4shell = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H'
const heartbleed = 'AV:N/AC:L/Au:N/C:P/I:N/A:N'
const physical = 'CVSS:4.0/AV:P/AC:H/AT:P/PR:H/UI:A/VC:L/VI:N/VA:H/SC:H/SI:H/SA:H'

test.each<[string, CvssVersion]>([
  [heartbleed, '2.0'],
  [`(${heartbleed})`, '2.0'],
  [`CVSS:2.0/${heartbleed}`, '2.0'],
  [log4shell, '3.1'],
  [log4shell.replace('3.1', '3.0'), '3.0'],
  [` ${physical}/ `, '4.0'],
])('%s is a vector of version %s', (vector, version) => expect(parseVector(vector)?.version).toBe(version))

test.each([
  [log4shell, null],
  [heartbleed, null],
  [log4shell.replace('PR:N', 'PR:Q'), 'PR:Q is wrong'],
  [log4shell.replace('PR:N', 'PR'), 'PR is wrong'],
  [log4shell.replace('/PR:N', ''), 'PR is missing'],
  [`${log4shell}/A:H`, 'A is given twice'],
  [`${log4shell}/ ?`, ' ? is wrong'],
  [log4shell.replace('3.1', '9.9'), 'CVSS:9.9 is wrong'],
  ['CVSS:3.1/', 'AV is missing'],
  [`(${heartbleed.replace('/A:N', '/A:constructor')})`, 'A:constructor is wrong'],
  ['', 'AV is missing'],
])('the mistake in %j is told: %s', (vector, problem) => expect(vectorProblem(vector)).toBe(problem))

test('metrics that are not defined are left out, the others are kept', () => {
  expect(parseVector(`${log4shell}/E:X/RL:X/RC:C`)).toEqual({
    version: '3.1',
    metrics: { AV: 'N', AC: 'L', PR: 'N', UI: 'N', S: 'C', C: 'H', I: 'H', A: 'H', RC: 'C' },
  })
  expect(parseVector(`(${heartbleed}/E:ND/RL:OF)`)?.metrics).toMatchObject({ A: 'N', RL: 'OF' })
  expect(parseVector(`${heartbleed}/E:ND`)).toEqual(parseVector(heartbleed))
})

test.each([
  ['nothing', ''],
  ['words', 'remote code execution'],
  ['an unknown version', 'CVSS:5.0/AV:N'],
  ['a missing base metric', 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H'],
  ['a base metric that is not defined', heartbleed.replace('AV:N', 'AV:X')],
  ['a letter of another version', heartbleed.replace('AV:N', 'AV:P')],
  ['a metric given twice', `${heartbleed}/AV:N`],
  ['a version 3 vector without its prefix', log4shell.replace('CVSS:3.1/', '')],
  ['a name every object has', heartbleed.replace('AV:N', 'AV:constructor')],
])('%s is no vector', (_, vector) => {
  expect(parseVector(vector)).toBeNull()
  expect(v2Letters(vector)).toBeNull()
  expect(explainVector(vector)).toEqual([])
})

test.each([
  [null, 'Unknown', 'Unknown', null],
  [0, 'Low', 'None', null],
  [0.1, 'Low', 'Low', 'yellow'],
  [3.9, 'Low', 'Low', 'yellow'],
  [4, 'Medium', 'Medium', 'orange'],
  [6.9, 'Medium', 'Medium', 'orange'],
  [7, 'High', 'High', 'red'],
  [8.9, 'High', 'High', 'red'],
  [9, 'High', 'Critical', 'darkred'],
  [10, 'High', 'Critical', 'darkred'],
])('a score of %s is %s in version 2, %s in versions 3 and 4, and %s', (score, v2, v3, band) => {
  expect(severity(2, score)).toBe(v2)
  expect(severity(3, score)).toBe(v3)
  expect(severity(4, score)).toBe(v3)
  expect(cvssBand(score)).toBe(band)
})

test('a score outside the scale has no severity', () => {
  expect([-1, 10.1, Number.NaN].map((score) => severity(3, score))).toEqual(['Unknown', 'Unknown', 'Unknown'])
})

test.each([
  [`(${heartbleed}/E:F/RL:OF/RC:C)`, heartbleed],
  [log4shell, 'AV:N/AC:L/Au:N/C:C/I:C/A:C'],
  ['CVSS:3.0/AV:A/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:L', 'AV:A/AC:H/Au:S/C:P/I:N/A:P'],
  ['CVSS:3.1/A:N/I:N/C:L/S:U/UI:R/PR:H/AC:H/AV:P', 'AV:L/AC:H/Au:M/C:P/I:N/A:N'],
  [physical, 'AV:L/AC:H/Au:M/C:P/I:N/A:C'],
])('%s is %s in the letters of version 2', (vector, letters) => expect(v2Letters(vector)).toBe(letters))

test('access and impact are told in the words of the specification', () => {
  expect(parseAccess(heartbleed)).toEqual({ authentication: 'NONE', complexity: 'LOW', vector: 'NETWORK' })
  expect(parseImpact(heartbleed)).toEqual({ confidentiality: 'PARTIAL', integrity: 'NONE', availability: 'NONE' })
  expect(parseAccess(physical)).toEqual({ authentication: 'MULTIPLE', complexity: 'HIGH', vector: 'LOCAL' })
  expect(parseImpact(physical)).toEqual({ confidentiality: 'PARTIAL', integrity: 'NONE', availability: 'COMPLETE' })
  expect(parseAccess('AV:A/AC:M/Au:S/C:N/I:N/A:C')).toEqual({
    authentication: 'SINGLE',
    complexity: 'MEDIUM',
    vector: 'ADJACENT_NETWORK',
  })
})

test('without a vector neither access nor impact is known', () => {
  for (const vector of [null, '', 'unknown']) {
    expect(parseAccess(vector)).toEqual({ authentication: null, complexity: null, vector: null })
    expect(parseImpact(vector)).toEqual({ confidentiality: null, integrity: null, availability: null })
  }
})

test('a vector is explained metric by metric, in the order of its standard', () => {
  expect(explainVector('CVSS:3.1/A:H/AV:N/AC:L/PR:N/UI:R/S:C/C:H/I:H')[3]).toEqual({
    metric: 'UI',
    name: 'User interaction',
    value: 'R',
    meaning: 'Somebody has to take part',
  })
  const metrics = (vector: string) => explainVector(vector).map(({ metric }) => metric)
  expect(metrics(heartbleed)).toEqual(['AV', 'AC', 'Au', 'C', 'I', 'A'])
  expect(metrics(`${log4shell}/E:P`)).toEqual(['AV', 'AC', 'PR', 'UI', 'S', 'C', 'I', 'A'])
  expect(metrics(physical)).toEqual(['AV', 'AC', 'AT', 'PR', 'UI', 'VC', 'VI', 'VA', 'SC', 'SI', 'SA'])
})

test.each([heartbleed, 'AV:A/AC:M/Au:S/C:N/I:N/A:C', 'AV:L/AC:H/Au:M/C:C/I:P/A:N'])(
  'the words of %s write it',
  (vector) => {
    const prefixed = (prefix: string, words: object) =>
      Object.fromEntries(Object.entries(words).map(([name, word]) => [`${prefix}_${name}`, word]))
    const words = { ...prefixed('access', parseAccess(vector)), ...prefixed('impact', parseImpact(vector)) }
    expect(writeV2Vector(words as never)).toBe(vector)
    const harmless = { impact_confidentiality: 'NONE', impact_integrity: 'NONE', impact_availability: 'NONE' }
    expect(writeV2Vector({ ...words, ...harmless } as never)).toBeNull()
  },
)
