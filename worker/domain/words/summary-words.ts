import { judgeStatements, type Statement } from '../versions/affected'
import { newPlacing, maxSpoken, splitTarget, toWords, type AffectedTarget } from '../versions/affected-items'
import { deniedBefore } from '../versions/spoken-ends'
import type { AffectedRange } from './record'

const version = String.raw`v?(\d[\w+-]{0,60}\.[\w.+-]{0,60}\w)`
/** "2022 SU3": a year or a number with the word of its update. */
const updated = String.raw`(\d[\w.]{0,60} (?:su|sp|hf|hotfix|patch|update|rc|beta) ?\d{1,6})`
/** Not "5.2.24 and prior to 6.0.2", nor "9.2.8 and previous versions prior to 8.5.16". */
const earlierWords = String.raw`(?:,| and| or) (?:and |all )?(?:earlier|prior|below|previous|lower)\b(?! (?:(?:versions?|releases?) )?(?:to|than|prior|before)\b)`
const lastAffected = [
  new RegExp(String.raw`(?:\b(?:through|up to and including) |<= ?)${version}`, 'gi'),
  new RegExp(String.raw`\b${version}${earlierWords}`, 'gi'),
  new RegExp(String.raw`\b${updated}${earlierWords}`, 'gi'),
]
/** A part of each of these that is quickly found. */
const hasLast = /through |including |<=|earlier|prior|below|previous|lower/i
const branch = /\.x$/i
const maxRead = 4_000
const maxVersions = 10

/** The versions that a summary calls the last affected, and the words before each: "2.0-beta9 through 2.15.0", "8.0.27 and prior". */
const findLastAffected = (summary: string) =>
  (hasLast.test(summary) ? lastAffected : [])
    .flatMap((pattern) => [...summary.slice(0, maxRead).matchAll(pattern)])
    .filter(({ index }) => !deniedBefore.test(summary.slice(Math.max(0, index - 100), index)))
    .flatMap(({ 1: last = '', index }) => (branch.test(last) ? [] : { last, before: toWords(summary.slice(0, index)) }))
    .slice(0, maxVersions)

type Target = Pick<AffectedTarget, 'via' | 'group' | 'name'> & { readStatements: () => Statement[] }

/**
 * Versions that the summary calls affected, and all sources otherwise of the product that it names: CVE-2021-44228 says "through
 * 2.15.0", and all ranges end before it. A version is of the product named last before it, or of all without one. Builds of
 * distributions have versions of their own.
 */
export function findContradicted<One extends Target>(summary: string, targets: One[]) {
  const found = findLastAffected(summary)
  if (!found.length) return []
  const [spoken, place] = [toWords(summary.slice(0, maxSpoken)), newPlacing(summary)]
  const named = targets
    .filter((target) => place({ ...target, monitored: false, statements: [] }).place !== 'distribution')
    .map((target) => ({ target, words: toWords(splitTarget(target)[0] ?? '') }))
    .filter(({ words }) => words.length > 4 && spoken.includes(words))
  const owned = found.flatMap(({ last, before }) => {
    const places = named.map(({ words }) => before.lastIndexOf(words))
    const nearest = Math.max(...places)
    return named.filter((_, at) => places[at] === nearest).map(({ target }) => ({ target, last }))
  })
  return [...Map.groupBy(owned, ({ target }) => target)].flatMap(([target, own]) => {
    const statements = target.readStatements()
    const versions = new Set(own.map(({ last }) => last))
    const ranges = [...versions]
      .filter((is) => judgeStatements(is, statements).status === 'not_affected')
      .map((is): AffectedRange => ({ order: 'loose', is }))
    return ranges.length ? [{ target, ranges }] : []
  })
}
