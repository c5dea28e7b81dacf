import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { v2Letters } from '../../worker/domain/cvss'
import { computeAdjustedCvss2, computeCvssScore } from '../../worker/domain/cvss-score'
import { computeRating } from '../../worker/domain/rating'
import { formatRatingVector, parseRatingVector } from '../../worker/domain/rating-vector'
import { computeRatedScore, computeRatingVector } from '../../worker/domain/score'

const feeds = new URL('../../../shared/feeds/', import.meta.url)
const withFeeds = test.skipIf(!existsSync(feeds))
if (!existsSync(feeds)) console.info(`skipped: the CVSS scores of the feeds, as ${feeds.pathname} is not there`)

test.each([
  ['AV:N/AC:L/Au:N/C:P/I:N/A:N', 5],
  ['(AV:L/AC:H/Au:N/C:C/I:C/A:C/E:U)', 6.2],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
  ['CVSS:3.0/S:U/C:N/I:N/A:L/AV:N/AC:L/PR:N/UI:N/E:U', 5.3],
  ['CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:C/C:H/I:H/A:N', 7.5],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
  ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U/', 8.1],
  ['CVSS:4.0/AV:N/AC:L/AT:P/PR:H/UI:A/VC:N/VI:H/VA:L/SC:N/SI:N/SA:L', 5.7],
  ['AV:N/AC:L', null],
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H', null],
  ['CVSS:5.0/AV:N', null],
  ['', null],
])('%s scores %s', (vector, score) => {
  expect(computeCvssScore(vector)).toBe(score)
})

const unknown = { is_exploitable: false, is_confirmed: false, rating_vector: '' }
const remote = 'AV:N/AC:L/Au:N/C:P/I:P/A:P'
test.each([
  ['nothing more is known', unknown, [7.5, null, null]],
  ['it is exploitable', { ...unknown, is_exploitable: true }, [7.5, 7.5, null]],
  ['it is confirmed', { ...unknown, is_confirmed: true }, [7.5, 7.5, null]],
  ['the asset is critical', { ...unknown, rating_vector: 'Cr:H' }, [7.5, null, 8.8]],
  ['the asset is of medium criticality', { ...unknown, rating_vector: 'Cr:M' }, [7.5, null, 8.5]],
  ['the asset is of low criticality', { ...unknown, rating_vector: 'Cr:L' }, [7.5, null, 8.3]],
  ['the asset is internal', { ...unknown, rating_vector: 'E:I' }, [7.5, null, 5.6]],
  ['the asset is critical and internal', { ...unknown, rating_vector: 'Cr:H/E:I/D:L' }, [7.5, null, 6.6]],
  ['the asset is critical and external', { ...unknown, rating_vector: 'Cr:H/E:E/D:H' }, [7.5, null, 8.8]],
  ['only its distribution is known', { ...unknown, rating_vector: 'E:E/D:L' }, [7.5, null, null]],
])('a CVSS v2 score is adjusted when %s', (_, known, adjusted) => {
  expect(computeAdjustedCvss2(remote, known)).toEqual(adjusted)
})

test('only a CVSS v2 vector is adjusted', () => {
  expect(computeAdjustedCvss2('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', unknown)).toBeNull()
  expect(computeAdjustedCvss2('AV:N', unknown)).toBeNull()
})

type Line = { vector: string; base: number }

function readLines(path: string): Line[] {
  const text = readFileSync(new URL(path, feeds), 'utf8')
  const lines = text.matchAll(/^(\S+) - \(?([\d.]+)/gm)
  return [...lines].map(([, vector = '', base]) => ({ vector, base: Number(base) }))
}

withFeeds('the base scores of Red Hat’s vectors of versions 2, 3.0, 3.1 and 4 are met', () => {
  const folder = 'cvss/redhat-cvss/'
  const lines = readdirSync(new URL(folder, feeds)).flatMap((name) => readLines(folder + name))
  expect(lines.length).toBeGreaterThan(7_600)
  expect(lines.filter(({ vector, base }) => computeCvssScore(vector) !== base)).toEqual([])
})

withFeeds('the scores of FIRST’s macro vectors of version 4 are met', () => {
  const folder = 'cvss/first-cvss-v4/'
  const scores = readFileSync(new URL(`${folder}macro-scores`, feeds), 'utf8').matchAll(
    /'vector': '(\S+)', 'score': ([\d.]+)/g,
  )
  const wrong = [...scores].filter(([, vector = '', score]) => computeCvssScore(vector) !== Number(score))
  expect(wrong.map(([line]) => line)).toEqual([])
})

type Scored = { vectorString: string; baseScore?: number | string }

/** Every object with a vector in a file of JSON, however deep. */
async function* vectorsIn(path: string) {
  let rest = ''
  for await (const chunk of createReadStream(new URL(path, feeds)).pipe(createGunzip()).setEncoding('utf8')) {
    const text: string = rest + chunk
    let end = 0
    for (const match of text.matchAll(/\{[^{}]*"vectorString"[^{}]*\}/g)) {
      end = match.index + match[0].length
      yield JSON.parse(match[0]) as Scored
    }
    rest = text.slice(Math.max(end, text.length - 5_000))
  }
}

const gzippedIn = (folder: string) =>
  readdirSync(new URL(folder, feeds))
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => folder + name)

withFeeds(
  'the stored score, the calculated one and that of the screen agree for every vector of the mirror',
  { timeout: 120_000 },
  async () => {
    const bases = new Map<string, Set<number>>()
    for (const path of [...gzippedIn('nvd/2.0/'), ...gzippedIn('nvd/1.1/'), ...gzippedIn('cve5/')])
      for await (const { vectorString, baseScore } of vectorsIn(path))
        bases.set(vectorString, (bases.get(vectorString) ?? new Set()).add(Number(baseScore)))
    expect(bases.size).toBeGreaterThan(3_000)

    const now = new Date('2026-11-20T00:00:00Z')
    const disagreeing: string[] = []
    for (const vector of bases.keys()) {
      const cvss = { cvss_vector: vector, cvss3_vector: null, cvss4_vector: null }
      const published = '2026-10-21T00:00:00Z'
      const flags = { is_confirmed: true, is_in_the_news: false, is_in_the_wild: true }
      const vuln = { ...cvss, ...flags, published, exploit_count: 1, exploit_metrics: null, exploit_published: null }
      const rating_vector = computeRatingVector(vuln, now)
      if (rating_vector === null) {
        if (v2Letters(vector) !== null || computeRatedScore(vuln, now) !== null) disagreeing.push(vector)
        continue
      }
      const { metrics, wrong } = parseRatingVector(rating_vector)
      const scores = [
        computeRatedScore(vuln, now),
        computeRating(rating_vector).score,
        computeRating(formatRatingVector(metrics)).score,
      ]
      if (wrong.length || new Set(scores).size !== 1) disagreeing.push(vector)
    }
    expect(disagreeing).toEqual([])

    // Beside temporal metrics CNAs often write the temporal score.
    const plain = [...bases].filter(([vector]) => !/\/(E|RL|RC|CR|IR|AR|M\w+):/.test(vector))
    const misscored = plain.filter(([vector, given]) => {
      const score = computeCvssScore(vector)
      return score !== null && !given.has(score)
    })
    const isOffByOneTenth = ([vector, given]: [string, Set<number>]) =>
      [...given].some((base) => Math.abs(base - (computeCvssScore(vector) ?? 0)) < 0.11)
    expect(misscored.filter((one) => !isOffByOneTenth(one))).toEqual([])
    expect(misscored.length, 'sources that rounded otherwise').toBeLessThan(10)
  },
)
