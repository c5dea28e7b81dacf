import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  computeProvisionalScore,
  computeRatedScore,
  computeRatingVector,
  findRatingSpan,
  highestRating,
} from '../../worker/domain/scores/score'
import { lastDayBefore, findNewModels, listEpssModels, noteModel } from '../../worker/domain/scores/epss-models'
import { findStatedSeverity } from '../../worker/domain/scores/stated-severity'
import type { Scorable, UnscoredFacts } from '../../worker/domain/scores/score'

const now = new Date('2025-08-25T00:00:00Z')
// CVE-2025-53770, ToolShell, and CVE-2025-5777, CitrixBleed 2: in KEV, and no list had an exploit yet.
const toolShell: Scorable = {
  published: '2025-07-20T00:00:00Z',
  cvss_vector: null,
  cvss3_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
  cvss4_vector: null,
  is_confirmed: true,
  is_in_the_news: false,
  is_in_the_wild: true,
  exploit_metrics: null,
  exploit_published: null,
}

test('CVE-2025-53770, ToolShell: known exploitation is an exploit that exists', () => {
  expect(computeRatingVector(toolShell, now)).toContain('/EA:R/EM:F/ET:H/')
  expect(computeRatedScore(toolShell, now)).toBeGreaterThanOrEqual(80)
  const unexploited = { ...toolShell, is_in_the_wild: false }
  expect(computeRatingVector(unexploited, now)).toContain('/EA:X/EM:X/ET:X/')
  expect(computeRatedScore(unexploited, now)).toBeLessThan(80)
})

test('the metrics in which an exploit is worth more stay', () => {
  const published = { ...toolShell, exploit_metrics: 'EA:U/EM:P/ET:M' }
  expect(computeRatingVector(published, now)).toContain('/EA:U/EM:F/ET:H/')
})

const nothing: UnscoredFacts = {
  is_malicious: false,
  is_in_the_wild: false,
  exploit_metrics: null,
  kev_added_at: null,
  kev_ransomware: null,
  epss: null,
}
const inKev = { ...nothing, is_in_the_wild: true, kev_added_at: '2023-10-18' }

test.each<[string, UnscoredFacts, number | null]>([
  [
    'CVE-2023-4966, Citrix Bleed',
    { ...inKev, kev_ransomware: true, epss: 0.999, exploit_metrics: 'EA:U/EM:F/ET:H' },
    89,
  ],
  ['one of KEV with ransomware, and no more', { ...inKev, kev_ransomware: true }, 80],
  ['one of KEV', inKev, 60],
  ['one of KEV with an exploit', { ...inKev, epss: 0.5, exploit_metrics: 'EA:U/EM:P/ET:M' }, 71],
  ['one that is malicious', { ...nothing, is_malicious: true, is_in_the_wild: true }, 100],
  ['one with an exploit of unknown worth', { ...nothing, exploit_metrics: 'EA:U/EM:X/ET:M' }, 33],
  ['one with a high EPSS alone', { ...nothing, epss: 0.9 }, 27],
  ['one with a low EPSS alone', { ...nothing, epss: 0.02 }, null],
  ['one of which nothing is known', nothing, null],
])('unscored by everybody, %s', (_, vuln, score) => expect(computeProvisionalScore(vuln)).toBe(score))

test('ransomware is above exploitation, and that above an exploit, whatever else is known', () => {
  const more = fc.record({
    epss: fc.double({ min: 0, max: 1, noNaN: true }),
    exploit_metrics: fc.constantFrom(null, 'EA:U/EM:F/ET:H', 'EA:R/EM:U/ET:L'),
  })
  fc.assert(
    fc.property(more, more, more, (a, b, c) => {
      const ransomware = computeProvisionalScore({ ...inKev, kev_ransomware: true, ...a }) ?? 0
      const exploited = computeProvisionalScore({ ...inKev, ...b }) ?? 0
      const known = computeProvisionalScore({ ...nothing, ...c }) ?? 0
      expect(ransomware).toBeGreaterThanOrEqual(80)
      expect(ransomware).toBeLessThanOrEqual(highestRating)
      expect(ransomware).toBeGreaterThan(exploited)
      expect(exploited).toBeGreaterThanOrEqual(60)
      expect(exploited).toBeGreaterThan(known)
    }),
  )
})

test('a CVSS vector leads into the span that stood there before', () => {
  const vectors = ['AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N']
  const marks = [true, false]
  for (const vector of vectors)
    for (const is_in_the_wild of marks)
      for (const is_exploitable of marks) {
        const exploit_metrics = is_exploitable ? 'EA:U/EM:F/ET:H' : null
        const vuln = { ...toolShell, cvss3_vector: `CVSS:3.1/${vector}`, exploit_metrics, is_in_the_wild }
        const { least, most } = findRatingSpan({ is_in_the_wild, is_exploitable })
        const score = computeRatedScore(vuln, now)
        expect(score).toBeGreaterThanOrEqual(least)
        expect(score).toBeLessThanOrEqual(most)
      }
  expect(highestRating).toBe(89)
  expect(findRatingSpan({ is_in_the_wild: true, is_exploitable: false })).toEqual({ least: 36, most: 89 })
})

test.each<[string, ReturnType<typeof findStatedSeverity>]>([
  [
    'via a crafted HTML page. (Chromium security severity: Medium)',
    { severity: 'medium', score: null, words: 'severity: Medium' },
  ],
  ['It has a CVSS score of 8.6.', { severity: 'high', score: 8.6, words: 'CVSS score of 8.6' }],
  ['CVSS 3.0 Base Score 3.3 (Integrity)', { severity: 'low', score: 3.3, words: 'CVSS 3.0 Base Score 3.3' }],
  ['CVSS v3.1 Base Score: 10.0.', { severity: 'critical', score: 10, words: 'CVSS v3.1 Base Score: 10.0' }],
  ['A critical severity flaw', { severity: 'critical', score: null, words: 'critical severity' }],
  ['rated as moderate by Red Hat', { severity: 'medium', score: null, words: 'rated as moderate' }],
  ['of CVSS 3.1, a critical section is left unlocked', null],
  ['This is not high severity, as it needs root', null],
  ['CVSS Base Score 0.0', null],
])('a description states its severity: %s', (text, stated) => expect(findStatedSeverity(text)).toEqual(stated))

const v4 = { version: 'v2025.03.14', since: '2025-08-30' }
test.each([
  ['nothing was read yet', [], ['v2', 'v3', 'v4', 'v5']],
  ['the first file is of v4', [v4], ['v2', 'v3', 'v4']],
  ['v5 names no version', [v4, { version: 'unknown', since: '2026-08-15' }], ['v2', 'v3', 'v4', 'v5']],
  ['one that nobody knows', [v4, { version: 'v2027.01.01', since: '2027-02-01' }], ['v2', 'v3', 'v4', 'v2027.01.01']],
  ['no name before v5', [v4, { version: '', since: '2025-09-01' }], ['v2', 'v3', 'v4', 'unknown']],
])('the models of EPSS when %s', (_, seen, names) => {
  expect(listEpssModels(seen).map(({ name }) => name)).toEqual(names)
})

test('a model is noted on its first day, and is new to what came before that day', () => {
  const seen = noteModel(noteModel(noteModel([], 'a', '2027-01-01'), 'a', '2027-01-02'), 'b', '2027-01-03')
  expect(seen).toEqual([
    { version: 'a', since: '2027-01-01' },
    { version: 'b', since: '2027-01-03' },
  ])
  const models = listEpssModels(seen)
  expect(findNewModels(models, lastDayBefore('2027-01-03'))).toEqual([{ name: 'b', since: '2027-01-03' }])
  expect(findNewModels(models, '2027-01-03')).toEqual([])
  expect(findNewModels(models, '2026-06-15', '2027-01-02')).toEqual([])
})
