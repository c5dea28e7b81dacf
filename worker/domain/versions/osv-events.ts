import type { Bounds, VersionOrder, VersionRange } from '../words/record'
import { distinctRanges } from './range'
import { isWithin } from './version-bounds'
import { compareVersions, isVersion } from './versions'

export type OsvEvent = { introduced?: string; fixed?: string; last_affected?: string; limit?: string }
/** The most comparisons of versions with stretches; beyond them versions may be listed although a stretch holds them. */
const maxCompared = 200_000

type OsvRange = { type: string; events: OsvEvent[] }
export type OsvAffected = { ranges?: OsvRange[]; versions?: string[] }

/**
 * The versions of one `affected` element of an OSV advisory: each stretch from `introduced` to the next `fixed` or `limit` (excluded)
 * or `last_affected` (included), and enumerated versions outside all of them. `order` is that of the package, `on` the release of a
 * distribution. Source: OSV schema, "Evaluation".
 */
export function parseOsvRanges(
  { ranges = [], versions = [] }: OsvAffected,
  order: VersionOrder,
  on?: string,
): VersionRange[] {
  const where = on === undefined ? {} : { on }
  const stretches = ranges.flatMap(({ type, events }): VersionRange[] => {
    const named = events.filter((event) => eventVersion(event) !== '' && event.limit !== '*')
    const known = chooseOrder(type, named, order)
    const bounds = known === 'git' ? listCommits(named) : listStretches(named, known)
    return bounds.map((one) => ({ order: known, ...one, ...where }))
  })
  const ordered = stretches.filter((range) => range.order !== 'git')
  const isMany = ordered.length * versions.length > maxCompared
  const others = isMany
    ? versions
    : versions.filter((version) => !ordered.some((range) => isWithin(range.order, version, range)))
  const all = [...stretches, ...others.map((is): VersionRange => ({ order, is, ...where }))]
  return distinctRanges(all)
}

function chooseOrder(type: string, events: OsvEvent[], order: VersionOrder): VersionOrder {
  if (type === 'GIT') return 'git'
  const named = type === 'SEMVER' && order === 'loose' ? 'semver' : order
  return events.every((event) => isFirst(eventVersion(event)) || isVersion(named, eventVersion(event)))
    ? named
    : 'loose'
}

const eventVersion = ({ introduced, fixed, last_affected, limit }: OsvEvent) =>
  introduced ?? fixed ?? last_affected ?? limit ?? ''

// OSV's text for "before any version".
const isFirst = (version: string) => version === '0'

type Stretch = Bounds & Pick<VersionRange, 'is_fix_unstated'>

function listStretches(events: OsvEvent[], order: VersionOrder): Stretch[] {
  const stretches: Stretch[] = []
  let open: Bounds | undefined
  for (const tied of groupTied(inOrder(events, order), order)) {
    const [starts, ends] = [tied.filter(isStart), tied.filter((event) => !isStart(event))]
    // A range that ends at a version and begins there anew holds it; one that begins and ends there alone holds nothing.
    for (const { introduced, fixed, last_affected, limit } of open ? [...ends, ...starts] : [...starts, ...ends]) {
      if (introduced !== undefined) {
        open ??= isFirst(introduced) ? {} : { ge: introduced }
        continue
      }
      if (open) stretches.push({ ...open, ...endStretch({ fixed, limit, last_affected }) })
      open = undefined
    }
  }
  return open ? [...stretches, open] : stretches
}

const isStart = ({ introduced }: OsvEvent) => introduced !== undefined

/** Events of the same version stand together. */
function groupTied(sorted: OsvEvent[], order: VersionOrder) {
  const groups: OsvEvent[][] = []
  for (const event of sorted) {
    const group = groups.at(-1)
    const [first] = group ?? []
    const isTied = first && compareVersions(order, eventVersion(first), eventVersion(event)) === 0
    if (group && isTied) group.push(event)
    else groups.push([event])
  }
  return groups
}

// A limit ends what a range speaks of, and is no fix.
function endStretch({ fixed, limit, last_affected }: OsvEvent): Stretch {
  if (fixed !== undefined) return { lt: fixed }
  return limit === undefined ? { le: last_affected } : { lt: limit, is_fix_unstated: true }
}

function inOrder(events: OsvEvent[], order: VersionOrder) {
  return events.toSorted((a, b) => {
    const [left, right] = [eventVersion(a), eventVersion(b)]
    if (isFirst(left) || isFirst(right)) return Number(isFirst(right)) - Number(isFirst(left))
    return compareVersions(order, left, right) ?? 0
  })
}

// Commits have no order: each fix is said to end what was introduced before it in the list.
function listCommits(events: OsvEvent[]): Stretch[] {
  let from: Bounds = {}
  const stretches: Stretch[] = []
  for (const { introduced, fixed, last_affected, limit } of events) {
    if (introduced !== undefined) from = isFirst(introduced) ? {} : { ge: introduced }
    else if (fixed ?? limit ?? last_affected)
      stretches.push({ ...from, ...endStretch({ fixed, limit, last_affected }) })
  }
  return stretches.length ? stretches : [from]
}
