import { endFixesAtBranches, leaveBackportsOpen, leaveEndedBranchesOpen } from './branch-ends'
import { anyName, cpeTail, unescapeVersion, type CpePart } from '../names/cpe'
import { endAtHotfixes, leaveGapOpen, listChanges } from './cve5-changes'
import { beforeListed, namesFixesAlone, openFixes } from './cve5-fixes'
import { distinctRanges } from './range'
import { respellVersions } from './cve5-spellings'
import type { AffectedRange, Bounds, VersionOrder, VersionRange } from '../words/record'
import { hasTwoEnds, parseVersionWords } from './version-words'
import { compareVersions, isVersion } from './versions'

type Status = 'affected' | 'unaffected' | 'unknown'

/** One element of `versions` of the CVE Record Format 5.x. */
export type Cve5Version = {
  version: string
  status?: Status
  lessThan?: string
  lessThanOrEqual?: string
  versionType?: string
  changes?: { at: string; status: Status }[]
  /** It is not what it says by the letter. */
  is_guess?: true
  /** Other elements leave open what follows it. */
  is_fix_unstated?: true
}

/** Fields that decide the status of a version in one element of `affected`; `product` only helps to read sentences. */
export type Cve5Affected = { product?: string; packageName?: string; defaultStatus?: Status; versions?: Cve5Version[] }

const orderOfVersionType = new Map<string, VersionOrder>([
  ...(['semver', 'pypi', 'maven', 'rpm', 'deb', 'apk', 'gem', 'nuget', 'composer', 'golang', 'git'] as const).map(
    (type) => [type, type] as const,
  ),
  ...(['sem', 'semvar', 'npm', 'cargo'] as const).map((type) => [type, 'semver'] as const),
  ['python', 'pypi'],
  ['pep440', 'pypi'],
  ['dpkg', 'deb'],
  ['rubygems', 'gem'],
  ['go', 'golang'],
])

const maxSentence = 200

/**
 * The versions of one `affected` element, for a product: exact ones in the loose order are CPE tails of `part`. A range without
 * bounds stands first if `defaultStatus` is affected and last if it is unaffected; without one, other versions are unknown. "n/a"
 * gives none, and a sentence that cannot be read is kept as `is`. Of a distribution's package, the product that has it keeps the name
 * alone. Source: CVE Record Format 5.x, docs/versions.md.
 */
export function parseCve5Ranges(entry: Cve5Affected, part: CpePart = 'a'): AffectedRange[] {
  const ranges = parseCve5PackageRanges(entry)
  const isDistributed = ranges.some(({ order }) => distributions.includes(order)) || entry.versions?.some(isOfSuse)
  const isOfPackage = entry.packageName !== undefined && isDistributed
  if (!isOfPackage) return ranges.map((range) => compact(range, part))
  return ranges.some(({ status }) => status === undefined) ? [part] : []
}

const distributions: VersionOrder[] = ['rpm', 'deb', 'apk']
/** SUSE begins the builds of its packages at "?", and calls their order custom (CVE-2023-32182). */
const isOfSuse = ({ version }: Cve5Version) => version.trim() === '?'

/** The same for a package: where no known `versionType` is said, versions are in the order of the package. */
export function parseCve5PackageRanges(entry: Cve5Affected, packageOrder: VersionOrder = 'loose'): VersionRange[] {
  const { versions: written = [], product } = entry
  const versions = nameFixes(respellVersions(written))
  const isNumbered = packageOrder === 'loose' && versions.some(hasNumberedWord)
  const read = versions.flatMap((version) => {
    const named = orderOfVersionType.get(version.versionType?.trim().toLowerCase() ?? '') ?? packageOrder
    const order = named === 'semver' && isNumbered ? 'loose' : named
    const own = rangesOfVersion(version, order, product)
    const { is_guess, is_fix_unstated } = version
    const marks = { ...(is_guess && { is_guess }), ...(is_fix_unstated && { is_fix_unstated }) }
    return is_guess || is_fix_unstated ? own.map((range) => ({ ...range, ...marks })) : own
  })
  const isOfFixes = namesFixesAlone(entry)
  const ranges = isOfFixes ? openFixes(read) : read
  const others = isOfFixes ? beforeListed(read) : defaultRange(entry, read, packageOrder)
  const before = others && !others.status ? [others] : []
  const behind = others?.status ? [others] : []
  const all = [...before, ...leaveBackportsOpen(leaveEndedBranchesOpen(endFixesAtBranches(ranges))), ...behind]
  return distinctRanges(all)
}

/** M10, p9 and +esm4 go by their numbers, by which SemVer does not go, whatever the type says (CVE-2023-41080). */
const hasNumberedWord = ({ version, lessThan = '', lessThanOrEqual = '', changes = [] }: Cve5Version) =>
  [version, lessThan, lessThanOrEqual, ...changes.map(({ at }) => at)].some((text) => /\d[-+.~]?[a-z]+\d+$/i.test(text))

/**
 * Ivanti calls "6.4.1 until before 6.4.1" unaffected and names nothing affected (CVE-2023-32564): its fix, and no word on what comes
 * before. Beside affected versions curl means all before it (CVE-2023-38546).
 */
const nameFixes = (versions: Cve5Version[]) =>
  versions.some(({ status }) => status !== 'unaffected')
    ? versions
    : versions.map((one) => (one.lessThan === one.version ? { ...one, lessThan: '*' } : one))

// Range of all versions that the element does not name.
function defaultRange(entry: Cve5Affected, ranges: VersionRange[], packageOrder: VersionOrder) {
  const { defaultStatus, versions = [] } = entry
  const all: VersionRange = { order: ranges.length && ranges.every(isGit) ? 'git' : packageOrder }
  if (defaultStatus === 'unaffected') return ranges.length ? { ...all, status: defaultStatus } : undefined
  return defaultStatus === 'affected' && !contradictsDefault(versions) ? all : undefined
}

const isGit = ({ order }: VersionRange) => order === 'git'

/**
 * 1,202 elements of the CVE list (PHP's CVE-2024-4577, LoadMaster's CVE-2024-1212) call all affected by default and list where that
 * ends, without any exception: nobody means the default then.
 */
const contradictsDefault = (versions: Cve5Version[]) =>
  versions.some((version) => parseEnd(version) !== undefined) &&
  versions.every(({ status = 'affected', changes = [] }) =>
    [status, ...changes.map((change) => change.status)].every((one) => one === 'affected'),
  )

function rangesOfVersion(entry: Cve5Version, order: VersionOrder, product?: string): VersionRange[] {
  const { version, status = 'affected', changes = [] } = entry
  const end = parseEnd(entry)
  if (end || changes.length)
    return listSegments({
      start: isOwnEnd(entry) ? undefined : parseStart(version, order),
      end: end ?? {},
      status,
      changes,
      order,
    })
  const named = isCommit(version) ? 'git' : hasTwoEnds(version) ? 'loose' : order
  if (named !== 'loose' && isVersion(named, version))
    return [{ order: named, is: version.trim(), ...statusField(status) }]

  const read = parseVersionWords(version, product)
  if (!read) return [{ order: 'loose', is: version.trim().slice(0, maxSentence), ...statusField(status) }]
  return read
    .filter((range) => status === 'affected' || Object.keys(range).length)
    .map((range) => ({ order: readable(order, Object.values(range)), ...range, ...statusField(status) }))
}

type Segments = {
  start?: string
  end: Bounds
  status: Status
  changes: { at: string; status: Status }[]
  order: VersionOrder
}

// The status changes within [start, end): each part is a range of its own.
function listSegments({ start, end: written, status, changes, order: named }: Segments): VersionRange[] {
  const order = readable(
    named,
    [start, written.lt ?? written.le, ...changes.map(({ at }) => at)].filter((text) => text !== undefined),
  )
  const compare = (a: string, b: string) => compareVersions(order, a, b)
  const reached = listChanges(changes, order, written)
    .filter(({ at }) => start === undefined || (compare(at, start) ?? 1) > 0)
    .sort((a, b) => compare(a.at, b.at) ?? 0)
  const end = endAtHotfixes(written, reached)
  const last = end.lt ?? end.le
  const isInside = ({ at }: { at: string }) =>
    last === undefined || (compare(at, last) ?? -1) < (end.le === undefined ? 0 : 1)
  const inside = reached.filter(isInside)

  // Chrome's records of old ids say "73 until before 73" and mean all before it.
  const isAtItsEnd = start !== undefined && end.lt !== undefined && compare(start, end.lt) === 0
  const from = start === undefined || isAtItsEnd ? {} : { ge: start }
  const points: { bound: Bounds; status: Status; is_guess?: true }[] = [
    { bound: from, status },
    ...inside.map(({ at, status: next, is_guess }) => ({
      bound: { ge: at },
      status: next,
      ...(is_guess && { is_guess }),
    })),
  ]
  const segments = points.map(({ bound, status: one, is_guess }, at): VersionRange => {
    const next = points[at + 1]?.bound.ge
    const segment = ranged(order, { ...bound, ...(next === undefined ? end : { lt: next }) }, one)
    return is_guess ? { ...segment, is_guess } : segment
  })
  // Patchstack and others end at the last affected version and name the fix behind it.
  const fix =
    last === undefined ? undefined : reached.find((change) => !isInside(change) && change.status === 'unaffected')
  return fix
    ? [...segments, ...leaveGapOpen(order, end.le, fix.at), { order, is: fix.at, status: 'unaffected' }]
    : segments
}

function ranged(order: VersionOrder, bounds: Bounds, status: Status): VersionRange {
  const isOne = bounds.ge !== undefined && bounds.ge === bounds.le
  return { order, ...(isOne ? { is: bounds.ge } : bounds), ...statusField(status) }
}

const statusField = (status: Status) => (status === 'affected' ? {} : { status })

// CISA calls the abbreviated commits of the kernel "custom".
const isCommit = (text: string) => isVersion('git', text) && !isVersion('loose', text)

function readable(order: VersionOrder, texts: string[]): VersionOrder {
  const ordered = [order, 'git'] as const
  return ordered.find((one) => texts.every((text) => isVersion(one, text.replace(/\.\*$/, '.0')))) ?? 'loose'
}

/** Start of the range; undefined when it begins at the first version of all, or the element does not say. */
function parseStart(version: string, order: VersionOrder) {
  if (version.length > maxSentence) return undefined
  const plain = unescapeVersion(version)
  const isNamed = ([order, 'loose', 'git'] as const).some((one) => isVersion(one, plain))
  const [read, ...more] = isNamed ? [{ ge: plain }] : (parseVersionWords(version) ?? [])
  const start = more.length ? undefined : (read?.ge ?? read?.is)?.replace(branch, '')
  return start === undefined || /^v?[0.]+$/i.test(start) ? undefined : start
}

// 5.10.*, 9.3.x and Juniper's 21.1*: all of a branch.
const branch = /(?:\.?\*|\.x+)+$/i

/** End of the range: `{}` for never ("*", "latest", "publication"), undefined when the element is of one version. */
function parseEnd({ version, lessThan, lessThanOrEqual }: Cve5Version): Bounds | undefined {
  const written = lessThan ?? lessThanOrEqual
  if (written === undefined) return undefined
  if (written.length > maxSentence) return {}
  const sign = /^\s*<\s*(=?)\s*/.exec(written)
  const isBelow = sign ? !sign[1] : lessThanOrEqual === undefined
  const text = unescapeVersion(written.slice(sign?.[0].length ?? 0))
  // 21.1*-EVO is all of the branch, too.
  const named = (text || (sign ? version.trim() : '')).replace(/\*-EVO$/i, '*')
  if (/^(?:prior|earlier|below)\b/i.test(named)) return { le: version.trim() }
  if (!/\d/.test(named) || /^[a-z][\w-]*\*$|^https?:/i.test(named)) return {}
  if (branch.test(named)) return { le: named.replace(branch, '.*') }
  return isBelow ? { lt: named } : { le: named }
}

/** "prior", or "<=" without a number, means all up to the version itself (CVE-2024-2051, CVE-2024-3744). */
const isOwnEnd = ({ lessThan, lessThanOrEqual }: Cve5Version) =>
  /^\s*(?:<\s*=?\s*$|(?:prior|earlier|below)\b)/i.test(lessThan ?? lessThanOrEqual ?? '')

// 1.2.3 as a CPE tail takes a quarter of the room, and is equal to what NVD says of it.
function compact(range: VersionRange, part: CpePart): AffectedRange {
  const { order, is, status, ...bounds } = range
  if (order !== 'loose' || status || is === undefined || Object.keys(bounds).length) return range
  const version = is.toLowerCase().replace(branch, '.*')
  if (!/^\S+$/.test(version) || !isVersion('loose', version.replace(/\.\*$/, ''))) return range
  return cpeTail({ ...anyName, part, version })
}
