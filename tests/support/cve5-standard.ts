import { judgeStatements } from '../../worker/domain/versions/affected'
import { parseCve5Ranges, type Cve5Affected, type Cve5Version } from '../../worker/domain/versions/cve5-status'

// The pseudocode of the CVE Record Format (docs/versions.md) for plain numbers, written independently of our code.

const plain = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8}))*$/
const plainTypes = [undefined, '', 'custom', 'semver']
const findEnd = ({ lessThan, lessThanOrEqual }: Cve5Version) => lessThan ?? lessThanOrEqual

/** Whether the pseudocode applies: all versions are plain numbers. */
export const isPlainElement = ({ versions = [] }: Cve5Affected) =>
  versions.length > 0 &&
  versions.every((entry) => {
    const texts = [entry.version, findEnd(entry), ...(entry.changes ?? []).map(({ at }) => at)]
    return (
      plainTypes.includes(entry.versionType) &&
      texts.every((text) => text === undefined || text === '*' || plain.test(text))
    )
  })

function compare(a: string, b: string) {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference) return difference
  }
  return 0
}

const isAbove = (start: string, end = '*') => start !== '*' && end !== '*' && compare(start, end) > 0

function holds(entry: Cve5Version, version: string) {
  const { lessThan, lessThanOrEqual } = entry
  const end = findEnd(entry)
  if (end === undefined) return compare(version, entry.version) === 0
  if (entry.version !== '*' && compare(version, entry.version) < 0) return false
  if (end === '*') return true
  return lessThan === undefined ? compare(version, lessThanOrEqual ?? '') <= 0 : compare(version, lessThan) < 0
}

function statusByStandard(version: string, { versions = [], defaultStatus = 'unknown' }: Cve5Affected) {
  const entry = versions.find((one) => holds(one, version))
  if (!entry) return defaultStatus
  const reached = (entry.changes ?? []).filter(({ at }) => compare(at, version) <= 0)
  return reached.toSorted((a, b) => compare(a.at, b.at)).at(-1)?.status ?? entry.status ?? 'affected'
}

const asked = 6

/** Judges the versions that an element names, and their neighbours, by the pseudocode and by our code. */
export function judgeByStandard(element: Cve5Affected) {
  const ranges = parseCve5Ranges(element)
  if (!ranges.length) return []
  const texts = (element.versions ?? []).flatMap((one) => [one.version, findEnd(one) ?? '*'])
  const named = [...new Set(texts)].filter((text) => text !== '*').slice(0, asked / 2)
  return named.flatMap(withNext).map((version) => {
    const expected = statusByStandard(version, element)
    const { status } = judgeStatements(version, [{ source: 'cve', ranges }])
    const isRight = status === (expected === 'unaffected' ? 'not_affected' : expected)
    const kind = status === 'unknown' ? ('unknown' as const) : ('otherwise' as const)
    return { version, isRight, kind, why: isRight ? '' : whyOtherwise(version, status, element) }
  })
}

const withNext = (version: string) => [version, version.replace(/\d+$/, (last) => String(Number(last) + 1))]

function whyOtherwise(version: string, status: string, { versions = [], defaultStatus }: Cve5Affected) {
  const isHeld = versions.some((one) => holds(one, version))
  if (isHeld && (status === 'unknown' || versions.every((one) => one.status === 'affected' && !one.changes?.length)))
    return 'the end of a branch beside that of a later one ends the branch, or leaves it open where it names no fix'
  if (versions.filter((one) => holds(one, version)).length > 1)
    return 'its ranges overlap: the narrowest decides, and then the one that says affected'
  if (
    versions.some(
      (one) => one.lessThan !== undefined && one.lessThan !== '*' && compare(one.version, one.lessThan) === 0,
    )
  )
    return 'a version that is its own end means all before it, as Chrome writes, or from it on, as Ivanti does'
  if (versions.some(({ changes = [], lessThanOrEqual }) => changes.length > 0 && lessThanOrEqual !== undefined))
    return 'a change behind the last affected version names the fix, as Patchstack writes'
  if (versions.some((one) => one.changes?.some(({ at }) => compare(at, one.version) < 0)))
    return 'a change before the beginning of its range changes nothing'
  if (versions.some((one) => isAbove(one.version, findEnd(one))))
    return 'a range that begins above its end holds its own beginning, and what lies between is unknown'
  if (defaultStatus === 'affected') return 'an affected default beside affected ranges that end counts as not given'
  if (!isHeld && status === 'not_affected')
    return 'the end of what is affected counts as its fix, and so does what follows it in its branch: likely, where nothing else is said of it'
  return 'another answer'
}
