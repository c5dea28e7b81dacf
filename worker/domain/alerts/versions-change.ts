import { newFixTest } from '../versions/affected'
import { describeRange } from '../versions/range'
import { sortRanges, unpackRanges } from '../versions/stored-ranges'

/** `vendor:product` or `type:name` → what each source says of its versions, as its ranges are stored. */
export type ComparedNames = Map<string, { key: string; json: string }[]>
type Compared = { products: ComparedNames; packages: ComparedNames }

export type VersionsChange =
  /** Of which products and packages the affected versions changed. */
  | { field: 'versions'; products: string[]; count: number; moves?: VersionMove[] }
  /**
   * Versions that newly end what is affected, as `vendor:product 1.2.3`: fixes, or where `is_stated` is false no source calls
   * them so, and they are merely the first that is not listed as affected.
   */
  | { field: 'fixes'; added: string[]; count: number; is_stated?: false }

/** Statements of all sources on the versions of one of them, in words. */
type VersionMove = { name: string; from: string; to: string }

export const namesShown = 10
const movesShown = 3
const rangesShown = 4

export function findVersionsChanges(before: Compared, after: Compared): VersionsChange[] {
  const changes: VersionsChange[] = []
  const old = new Map([...before.products, ...before.packages])
  const moved = [...after.products, ...after.packages].filter(([name, statements]) => {
    const earlier = old.get(name)
    return earlier && joinEntries(earlier) !== joinEntries(statements)
  })
  if (moved.length)
    changes.push({
      field: 'versions',
      products: moved.slice(0, namesShown).map(([name]) => name),
      count: moved.length,
      moves: moved
        .slice(0, movesShown)
        .map(([name, statements]) => ({ name, from: wordVersions(old.get(name) ?? []), to: wordVersions(statements) })),
    })

  return [...changes, ...endChanges(moved, old)]
}

/** Versions that newly count as fixes, and other new ends of ranges. */
function endChanges(moved: [string, VersionEntries][], old: ComparedNames): VersionsChange[] {
  const [fixes, unlisted] = [new Set<string>(), new Set<string>()]
  for (const [name, statements] of moved) {
    const [before, after] = [listEnds(old.get(name) ?? []), listEnds(statements)]
    for (const version of after.fixes) if (!before.fixes.has(version)) fixes.add(`${name} ${version}`)
    for (const version of after.others)
      if (![before, after].some((ends) => ends.fixes.has(version)) && !before.others.has(version))
        unlisted.add(`${name} ${version}`)
  }
  const toChange = (ends: Set<string>) => ({
    field: 'fixes' as const,
    added: [...ends].slice(0, namesShown),
    count: ends.size,
  })
  return [
    ...(fixes.size ? [toChange(fixes)] : []),
    ...(unlisted.size ? [{ ...toChange(unlisted), is_stated: false as const }] : []),
  ]
}

type VersionEntries = { key: string; json: string }[]
const joinEntries = (statements: VersionEntries) => statements.map(({ key, json }) => key + sortRanges(json)).join()

/** The ranges of all sources, each once. */
function wordVersions(statements: VersionEntries) {
  const ranges = statements.flatMap(({ json }) => unpackRanges(json))
  const words = [...new Set(ranges.map(describeRange))]
  const more = words.length > rangesShown ? ` and ${words.length - rangesShown} more` : ''
  return words.slice(0, rangesShown).join('; ').slice(0, wordsLength) + more
}
const wordsLength = 200

/** Ends of affected ranges: a fix by their source, or only the first version that it does not list any more. */
function listEnds(statements: VersionEntries) {
  const [fixes, others] = [new Set<string>(), new Set<string>()]
  for (const { key, json } of statements) {
    const ranges = unpackRanges(json)
    const isFix = newFixTest(key, ranges)
    for (const range of ranges) {
      if (typeof range === 'string' || range.lt === undefined || 'status' in range) continue
      const ends = isFix(range.lt) ? fixes : others
      ends.add(range.lt)
    }
  }
  return { fixes, others }
}
