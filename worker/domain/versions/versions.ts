import type { VersionOrder } from '../words/record'
import { alpm } from './orders/alpm'
import { apk } from './orders/apk'
import { composer } from './orders/composer'
import { deb } from './orders/deb'
import { gem } from './orders/gem'
import { git } from './orders/git'
import { golang, pub, semver } from './orders/semver'
import { loose } from './orders/loose'
import { maven } from './orders/maven'
import { nuget } from './orders/nuget'
import { cran, hackage } from './orders/numbers'
import { compareText, type Order } from './orders/order'
import { pypi } from './orders/pypi'
import { rpm } from './orders/rpm'
import { sameText, unorderedTypes } from './orders/same-text'

/** How many parsed versions each order keeps: the same bounds are compared again and again. */
const maxKnown = 20_000

/** A longer text is no version of any order. This limits the cost of hostile text. */
const maxLength = 256

const orders = {
  loose: remembering(loose),
  semver: remembering(semver),
  pypi: remembering(pypi),
  maven: remembering(maven),
  deb: remembering(deb),
  rpm: remembering(rpm),
  apk: remembering(apk),
  gem: remembering(gem),
  nuget: remembering(nuget),
  composer: remembering(composer),
  golang: remembering(golang),
  pub: remembering(pub),
  cran: remembering(cran),
  hackage: remembering(hackage),
  alpm: remembering(alpm),
  git: remembering(git),
  unordered: remembering(sameText),
} satisfies Record<VersionOrder, unknown>

/**
 * Which of two versions is lower in an order: below zero, zero, above zero; null when one is no version of it, or nothing puts one
 * before the other (git, loose).
 */
export const compareVersions = (order: VersionOrder, a: string, b: string) => orders[order].compare(a, b)

/** The versions of an order among texts, from the lowest, equal ones once; texts that the order cannot compare go by their letters. */
export const sortVersions = (order: VersionOrder, texts: string[]) => orders[order].sort(texts)

/** Whether a text is a version in this order; other texts cannot be compared in it. */
export const isVersion = (order: VersionOrder, text: string) => orders[order].isVersion(text)

/**
 * The order of a purl type's versions, `loose` for a type without one here, whose answers are likely alone. Conan and ebuild (Gentoo)
 * have orders that nobody wrote here: they are not guessed.
 */
export const packageOrder = (type: string): VersionOrder =>
  unorderedTypes.has(type) ? 'unordered' : (orderOfType.get(type) ?? 'loose')

const orderOfType = new Map<string, VersionOrder>([
  ...(
    [
      'alpm',
      'apk',
      'composer',
      'cran',
      'deb',
      'gem',
      'golang',
      'hackage',
      'maven',
      'nuget',
      'pub',
      'pypi',
      'rpm',
    ] as const
  ).map((type) => [type, type] as const),
  ...(['bitnami', 'cargo', 'githubactions', 'hex', 'npm', 'swift'] as const).map((type) => [type, 'semver'] as const),
  ['bioconductor', 'cran'],
])

function remembering<Parsed>({ parse, compare }: Order<Parsed>) {
  const known = new Map<string, Parsed | null>()
  const read = (text: string) => {
    if (text.length > maxLength) return null
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= maxKnown) known.clear()
    const parsed = parse(text)
    known.set(text, parsed)
    return parsed
  }
  const isEqual = (a: Parsed, b: Parsed | undefined) => b !== undefined && compare(a, b) === 0
  return {
    sort(texts: string[]) {
      const named = [...new Set(texts)].flatMap((text) => {
        const parsed = read(text)
        return parsed === null ? [] : [{ text, parsed }]
      })
      named.sort((a, b) => compare(a.parsed, b.parsed) ?? compareText(a.text, b.text))
      return named.filter(({ parsed }, at) => !isEqual(parsed, named[at - 1]?.parsed)).map(({ text }) => text)
    },
    isVersion: (text: string) => read(text) !== null,
    compare(a: string, b: string) {
      const [left, right] = [read(a), read(b)]
      return left === null || right === null ? null : compare(left, right)
    },
  }
}
