import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { explainVector, parseVector, v2Letters } from '../../worker/domain/scores/cvss'
import { computeCvssScore } from '../../worker/domain/scores/cvss-score'
import { computeRating } from '../../worker/domain/scores/rating'
import { formatRatingVector, parseRatingVector } from '../../worker/domain/scores/rating-vector'
import { computeRatedScore, computeRatingVector } from '../../worker/domain/scores/score'
import { realFeeds } from '../support/real-data'

test('every vector of the feeds is read and explained', () => {
  const vectors = feedVectors()
  expect(vectors.length).toBeGreaterThan(8000)
  expect(vectors.filter((vector) => !parseVector(vector))).toEqual([])
  expect(vectors.filter((vector) => parseVector(v2Letters(vector) ?? '')?.version !== '2.0')).toEqual([])
  expect(vectors.flatMap(explainVector).filter(({ value, meaning }) => value === meaning)).toEqual([])
})

type Line = { vector: string; base: number }

function readLines(path: string): Line[] {
  const text = readFileSync(new URL(path, realFeeds), 'utf8')
  const lines = text.matchAll(/^(\S+) - \(?([\d.]+)/gm)
  return [...lines].map(([, vector = '', base]) => ({ vector, base: Number(base) }))
}

test('the base scores of Red Hat’s vectors of versions 2, 3.0, 3.1 and 4 are met', () => {
  const folder = 'cvss/redhat-cvss/'
  const lines = readdirSync(new URL(folder, realFeeds)).flatMap((name) => readLines(folder + name))
  expect(lines.length).toBeGreaterThan(7_600)
  expect(lines.filter(({ vector, base }) => computeCvssScore(vector) !== base)).toEqual([])
})

test('the scores of FIRST’s macro vectors of version 4 are met', () => {
  const folder = 'cvss/first-cvss-v4/'
  const scores = readFileSync(new URL(`${folder}macro-scores`, realFeeds), 'utf8').matchAll(
    /'vector': '(\S+)', 'score': ([\d.]+)/g,
  )
  const wrong = [...scores].filter(([, vector = '', score]) => computeCvssScore(vector) !== Number(score))
  expect(wrong.map(([line]) => line)).toEqual([])
})

type Scored = { vectorString: string; baseScore?: number | string }

/** Every object with a vector in a file of JSON, however deep. */
async function* vectorsIn(path: string) {
  let rest = ''
  for await (const chunk of createReadStream(new URL(path, realFeeds)).pipe(createGunzip()).setEncoding('utf8')) {
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
  readdirSync(new URL(folder, realFeeds))
    .filter((name) => name.endsWith('.json.gz'))
    .map((name) => folder + name)

test(
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

function feedVectors() {
  return readdirSync(new URL('cvss/', realFeeds), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(`${file.parentPath}/${file.name}`, 'utf8'))
    .flatMap((text) => text.match(/(?:CVSS:|\bAV:)[\w.:/]+/g) ?? [])
}
