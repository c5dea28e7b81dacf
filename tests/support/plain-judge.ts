// A slow judge of plain numbers by what NVD's CPE matches and OSV's events say by the letter, written from their documents
// (NISTIR 7696 with the bounds of NVD's API; OSV schema, "Evaluation") without our code. Other versions than plain numbers are not asked.

export type CpeMatch = {
  vulnerable: boolean
  criteria: string
  versionStartIncluding?: string | undefined
  versionStartExcluding?: string | undefined
  versionEndIncluding?: string | undefined
  versionEndExcluding?: string | undefined
}
export type Configuration = { nodes: { negate?: boolean | undefined; cpeMatch: CpeMatch[] }[] }
type Event = { introduced?: string; fixed?: string; last_affected?: string; limit?: string }
export type OsvElement = {
  package?: { ecosystem: string; name: string }
  ranges?: { type: string; events: Event[] }[] | null
  versions?: string[] | null
}

/** Three at most are asked of a product, each with what comes right before and behind it. */
const maxAsked = 3

export const isPlain = (text: string) => /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){0,9}$/.test(text)

export function comparePlain(a: string, b: string) {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference) return difference
  }
  return 0
}

/** Evenly spread ones of those that are named, and their neighbours. */
export function listAsked(named: string[]) {
  const plain = [...new Set(named)].filter(isPlain)
  const step = Math.max(1, plain.length / maxAsked)
  const chosen = Array.from({ length: Math.min(maxAsked, plain.length) }, (_, at) => plain[Math.floor(at * step)] ?? '')
  return [...new Set(chosen.flatMap(listNeighbours))]
}

function listNeighbours(version: string) {
  const parts = version.split('.')
  const last = Number(parts.pop())
  return [last - 1, last, last + 1].filter((number) => number >= 0).map((number) => [...parts, number].join('.'))
}

/** The parts of a CPE 2.3 name between colons that no backslash escapes. */
const splitCpe = (criteria: string) => criteria.split(/(?<!\\):/)

const boundsIn = (match: CpeMatch) =>
  [
    match.versionStartIncluding,
    match.versionStartExcluding,
    match.versionEndIncluding,
    match.versionEndExcluding,
  ].filter((bound) => bound !== undefined)

/** By vendor and product, as NVD writes them: its vulnerable matches. */
export function groupMatches(configurations: Configuration[] = []) {
  const matches = configurations.flatMap(({ nodes }) =>
    nodes.flatMap(({ negate, cpeMatch }) => (negate ? [] : cpeMatch.filter(({ vulnerable }) => vulnerable))),
  )
  return Map.groupBy(matches, ({ criteria }) => splitCpe(criteria).slice(3, 5).join(':'))
}

/** Whether all that its matches name are plain numbers, without updates. */
export const isPlainProduct = (matches: CpeMatch[]) =>
  matches.every((match) => {
    const [, , , , , version = '', update = ''] = splitCpe(match.criteria)
    return (isPlain(version) || version === '*') && ['*', '-'].includes(update) && boundsIn(match).every(isPlain)
  })

export const listNamedByCpe = (matches: CpeMatch[]) =>
  matches.flatMap((match) => [splitCpe(match.criteria)[5] ?? '', ...boundsIn(match)])

export const isAffectedByCpe = (version: string, matches: CpeMatch[]) =>
  matches.some((match) => {
    const [, , , , , named = ''] = splitCpe(match.criteria)
    if (named !== '*') return comparePlain(named, version) === 0
    const { versionStartIncluding, versionStartExcluding, versionEndIncluding, versionEndExcluding } = match
    if (versionStartIncluding !== undefined && comparePlain(version, versionStartIncluding) < 0) return false
    if (versionStartExcluding !== undefined && comparePlain(version, versionStartExcluding) <= 0) return false
    if (versionEndIncluding !== undefined && comparePlain(version, versionEndIncluding) > 0) return false
    return versionEndExcluding === undefined || comparePlain(version, versionEndExcluding) < 0
  })

const eventVersion = ({ introduced, fixed, last_affected, limit }: Event) =>
  introduced ?? fixed ?? last_affected ?? limit ?? ''
const isOrdered = ({ type }: { type: string }) => type !== 'GIT'
const rangesIn = ({ ranges }: OsvElement) => (ranges ?? []).filter(isOrdered)

export const isPlainElementOfOsv = (element: OsvElement) =>
  rangesIn(element).length > 0 &&
  rangesIn(element).every(({ events }) => events.every((event) => isPlain(eventVersion(event))))

export const listNamedByOsv = (element: OsvElement) => [
  ...rangesIn(element).flatMap(({ events }) => events.map(eventVersion)),
  ...(element.versions ?? []),
]

/** IsVulnerable of the schema: the version is listed, or the events below and at it leave it vulnerable. */
export function isAffectedByOsv(version: string, element: OsvElement) {
  if (element.versions?.some((one) => isPlain(one) && comparePlain(one, version) === 0)) return true
  return rangesIn(element).some(({ events }) => {
    let isVulnerable = false
    for (const event of events.toSorted((a, b) => comparePlain(eventVersion(a), eventVersion(b)))) {
      const difference = comparePlain(version, eventVersion(event))
      if (event.introduced !== undefined && difference >= 0) isVulnerable = true
      else if ((event.fixed ?? event.limit) !== undefined && difference >= 0) isVulnerable = false
      else if (event.last_affected !== undefined && difference > 0) isVulnerable = false
    }
    return isVulnerable
  })
}
