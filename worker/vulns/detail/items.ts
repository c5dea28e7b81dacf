import { newPlacing, isDisputed, orderAffected, uniteRanges } from '../../domain/versions/affected-items'
import type { AffectedTarget } from '../../domain/versions/affected-items'
import { formatPurl } from '../../domain/names/purl'
import { cisaKey, parseSource } from '../../domain/words/record'
import type { AffectedRange, SourceKey } from '../../domain/words/record'
import { describeRange } from '../../domain/versions/range'
import { namesNoVersion } from '../../domain/versions/range-match'
import type { AffectedItem } from './contract'
import { maxShownVersions } from './versions'

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
  const ofProducts = productStatements.map((one) => ({
    via: 'product' as const,
    id: one.product_id,
    group: one.vendor,
    name: one.product,
    ...one,
  }))
  const ofPackages = packageStatements.map((one) => ({
    ...one,
    via: 'package' as const,
    id: one.package_id,
    group: one.type,
  }))
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
  const fixed = [...new Set(ends.flatMap((one) => one.fixed))].slice(0, maxShownVersions)
  const open = new Set(ends.flatMap((one) => one.first_unlisted))
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
    is_name_only: statements.every((one) => one.ranges.every(namesNoVersion)),
  }
}
