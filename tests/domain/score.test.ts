import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeProvisionalScore, computeRatedScore, computeRatingVector } from '../../worker/domain/scores/score'
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

test('what an exploit is worth more in stays', () => {
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
    98,
  ],
  ['one of KEV with ransomware, and no more', { ...inKev, kev_ransomware: true }, 80],
  ['one of KEV', inKev, 60],
  ['one of KEV with an exploit', { ...inKev, epss: 0.5, exploit_metrics: 'EA:U/EM:P/ET:M' }, 71],
  ['one that is malicious', { ...nothing, is_malicious: true, is_in_the_wild: true }, 100],
  ['one with an exploit of unknown worth', { ...nothing, exploit_metrics: 'EA:U/EM:X/ET:M' }, 33],
  ['one with a high EPSS alone', { ...nothing, epss: 0.9 }, 27],
  ['one with a low EPSS alone', { ...nothing, epss: 0.02 }, null],
  ['one of which nothing is known', nothing, null],
])('unscored by everybody, %s', (_, vuln, score) => {
  expect(computeProvisionalScore(vuln)).toBe(score)
})

test('whatever else is known, ransomware is above exploitation, and that above an exploit', () => {
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
      expect(ransomware).toBeGreaterThan(exploited)
      expect(exploited).toBeGreaterThanOrEqual(60)
      expect(exploited).toBeGreaterThan(known)
    }),
  )
})
