import { cpeFromTail } from '../../domain/names/cpe'
import { newFixTest, findFixes } from '../../domain/versions/affected'
import { parseSource, summarySource, cisaKey, type AffectedRange, type SourceKey } from '../../domain/words/record'
import { describeRange } from '../../domain/versions/range'
import { namesNoVersion } from '../../domain/versions/range-match'
import { unpackRanges } from '../../domain/versions/stored-ranges'
import { isHeldBy } from '../../exposure/compile'
import { newPlacing, isDisputed, orderAffected, uniteRanges } from '../../domain/versions/affected-items'
import type { AffectedTarget } from '../../domain/versions/affected-items'
import { formatPurl } from '../../domain/names/purl'
import type { AffectedItem } from './contract'

/** `versions_count` tells how many there are. */
export const maxShownVersions = 100

export function withVersions<One extends { ranges: string; source: SourceKey }>({ ranges, ...one }: One) {
  const list = unpackRanges(ranges)
  return {
    ...one,
    list,
    versions: list.slice(0, maxShownVersions).map(describeRange),
    versions_count: list.length,
    ...findEnds(one.source, list),
    is_name_only: list.every(namesNoVersion),
  }
}

/** Ends of affected ranges: stated fixes, or the first versions that are not listed. */
export function findEnds(source: SourceKey, list: AffectedRange[]) {
  const ends = list.flatMap((range) => (typeof range === 'string' || 'status' in range ? [] : (range.lt ?? [])))
  const isFix = newFixTest(source, list)
  const distinct = [...new Set([...ends, ...findFixes(list)])]
  return {
    fixed: distinct.filter(isFix).slice(0, maxShownVersions),
    first_unlisted: distinct.filter((version) => !isFix(version)).slice(0, maxShownVersions),
  }
}

/** How many ends we test against the other ranges. */
const maxTested = 10

type Ended = { source: SourceKey; list: AffectedRange[]; first_unlisted: string[] }

/** Drops ends that another range of the same product calls affected: they fix nothing. */
export function withoutAffectedEnds<One extends Ended>(statements: One[], key: (statement: One) => number) {
  const byItem = Map.groupBy(statements, key)
  const isAffected = (statement: One, version: string) =>
    byItem.get(key(statement))?.some(({ source, list }) => {
      // The summary only raises a dispute.
      if (parseSource(source) === summarySource) return false
      return isHeldBy(list, version)
    })
  return statements.map((ended) => ({
    ...ended,
    first_unlisted: ended.first_unlisted.filter((version, at) => at >= maxTested || !isAffected(ended, version)),
  }))
}

type Ranged = { vendor: string; product: string; list: AffectedRange[] }
export const listCpeNames = ({ vendor, product, list }: Ranged) =>
  list.slice(0, maxShownVersions).flatMap((range) => toCpe(vendor, product, range) ?? [])

function toCpe(vendor: string, product: string, range: AffectedRange) {
  if (typeof range === 'string') return cpeFromTail(vendor, product, range)
  return 'cpe' in range ? cpeFromTail(vendor, product, range.cpe) : null
}

type ProductVersions = { vendor: string; product: string; versions: string[] }

// Names come from outside: `__proto__` may be one, so they are keys of a Map, which becomes an object at the end.
export function versionsByName(statements: ProductVersions[]) {
  const vendors = Map.groupBy(statements, ({ vendor }) => vendor)
  return toObject(vendors, (list) => {
    const byProduct = Map.groupBy(list, ({ product }) => product)
    return toObject(byProduct, (same) => same.flatMap(({ versions }) => versions))
  })
}

type PackageVersions = { type: string; name: string; versions: string[]; fixed: string[] }

/** By type and name; the versions as one text, as clients of the specification read them. */
export function packageVersions(statements: PackageVersions[]) {
  const types = Map.groupBy(statements, ({ type }) => type)
  return toObject(types, (list) => {
    const byName = Map.groupBy(list, ({ name }) => name)
    return toObject(byName, (same) =>
      same.map(({ versions, fixed }) => ({
        affected_versions: versions.join(', '),
        patched_versions: fixed.join(', '),
      })),
    )
  })
}

// Object.fromEntries defines each key, where an assignment to `__proto__` would change the prototype.
const toObject = <Value, Result>(map: Map<string, Value>, each: (value: Value) => Result) =>
  Object.fromEntries([...map].map(([name, value]) => [name, each(value)]))

type Stated = {
  source: SourceKey
  list: AffectedRange[]
  monitored: boolean
  fixed: string[]
  first_unlisted: string[]
}
type ProductStatement = Stated & { product_id: number; vendor: string; product: string }
type PackageStatement = Stated & { package_id: number; type: string; name: string }

/** Each product and package once, with the statements of all sources, the most relevant first. */
export function listAffectedItems(
  words: string,
  productStatements: ProductStatement[],
  packageStatements: PackageStatement[],
): AffectedItem[] {
  const place = newPlacing(words)
  const ofProducts = productStatements.map((said) => {
    const { product_id: id, vendor: group, product: name } = said
    return { ...said, via: 'product' as const, id, group, name }
  })
  const ofPackages = packageStatements.map((said) => {
    const { package_id: id, type: group } = said
    return { ...said, via: 'package' as const, id, group }
  })
  const byItem = Map.groupBy([...ofProducts, ...ofPackages], ({ via, id }) => `${via} ${id}`)
  const items = [...byItem.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { via, id, group, name, monitored } = first
    const named: AffectedTarget = {
      via,
      group,
      name,
      monitored,
      statements: same.map(({ source, list }) => ({ source, ranges: list })),
    }
    return [{ id, named, ...place(named), ...uniteEnds(same) }]
  })
  return orderAffected(items).map(({ id, named, place: at, fix, fixed, first_unlisted }) => ({
    ...describeItem(id, named),
    place: at,
    fix,
    fixed,
    first_unlisted,
  }))
}

function uniteEnds(ends: Pick<Stated, 'fixed' | 'first_unlisted'>[]) {
  const fixed = [...new Set(ends.flatMap((end) => end.fixed))].slice(0, maxShownVersions)
  const open = new Set(ends.flatMap((end) => end.first_unlisted))
  const first_unlisted = [...open].filter((version) => !fixed.includes(version)).slice(0, maxShownVersions)
  return { fixed, first_unlisted, fix: (fixed.length ? fixed : first_unlisted).join(', ') || null }
}

function describeItem(id: number, { via, group, name, monitored, statements }: AffectedTarget) {
  const ranges = uniteRanges(statements)
  return {
    via,
    id,
    vendor: group,
    name,
    purl: via === 'package' ? formatPurl(group, name) : null,
    monitored,
    versions: ranges.slice(0, maxShownVersions).map(describeRange),
    versions_count: ranges.length,
    sources: [...new Set(statements.map(({ source }) => (source === cisaKey ? source : parseSource(source))))],
    is_disputed: isDisputed(statements),
    is_name_only: statements.every((statement) => statement.ranges.every(namesNoVersion)),
  }
}
