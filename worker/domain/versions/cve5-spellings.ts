import type { Cve5Version } from './cve5-status'
import { compareVersions, isVersion } from './versions'

/** Puts in order what single CNAs write otherwise than the format says. */
export const respellVersions = (versions: Cve5Version[]) =>
  joinHalves(versions.map(stripWords))
    .map(nameBuild)
    .flatMap(openYear)
    .flatMap((one) => splitEnds(one))

/** Discourse's channels before a sign, the name of a package, and what joins a list. */
const aside = /^\s*(?:and (?=\S)|(?:stable|beta|tests-passed) (?=[<>=])|pkg:[\w./%-]{1,100}@(?=\d))/i

/** "stable < 3.2.3" (CVE-2024-36113), pkg:npm/sysend@1.10.0 (CVE-2022-24762), "and 9.1 Service Pack 4". */
function stripWords(one: Cve5Version): Cve5Version {
  const { version, lessThan, lessThanOrEqual } = one
  if (![version, lessThan, lessThanOrEqual].some((text) => text !== undefined && aside.test(text))) return one
  const strip = (text: string) => text.replace(aside, '')
  return {
    ...one,
    version: strip(version),
    ...(lessThan !== undefined && { lessThan: strip(lessThan) }),
    ...(lessThanOrEqual !== undefined && { lessThanOrEqual: strip(lessThanOrEqual) }),
  }
}

/**
 * "2019 (8.0)" before 8.0.0.6394 begins at 8.0 (CVE-2023-32537), 2020 before 20.5 at 20, and 2019 before 14.0.1 at none: likely, and
 * itself. CISA writes Acrobat's last affected version as the first that is not (CVE-2024-20731): the end of a short year is no fix.
 */
function openYear(one: Cve5Version): Cve5Version[] {
  const [, year = '', own] = /^(?:19|20)(\d\d)(?: \((\d{1,3}(?:\.\d{1,5}){1,3})\))?$/.exec(one.version.trim()) ?? []
  const [, first] = /^(\d{1,3})\.\d/.exec(one.lessThan ?? one.lessThanOrEqual ?? '') ?? []
  if (!year || first === undefined) return [one]
  const { version, status } = one
  const isShort = own === undefined && first === year
  return [
    { ...(status && { status }), version, is_guess: true },
    { ...one, version: own ?? (isShort ? year : '0'), is_guess: true, ...(isShort && { is_fix_unstated: true }) },
  ]
}

const isOpen = (text: string | undefined) => text?.trim().toLowerCase() === 'unspecified'

/** Atlassian writes "from 8.14.0" and "before 8.16.1" as two elements: one range (CVE-2021-26078), or several up to one end. */
function joinHalves(versions: Cve5Version[]) {
  const joined: Cve5Version[] = []
  let starts: Cve5Version[] = []
  for (const one of versions) {
    const own = isEnd(one) ? starts.filter(({ status }) => status === one.status) : []
    if (isStart(one)) starts.push(one)
    else {
      joined.push(...(own.length ? own.map(({ version }) => ({ ...one, version })) : [...starts, one]))
      starts = []
    }
  }
  return [...joined, ...starts]
}

const isStart = ({ version, lessThan, lessThanOrEqual }: Cve5Version) =>
  isOpen(lessThan ?? lessThanOrEqual) && !isOpen(version)
const isEnd = ({ version, lessThan, lessThanOrEqual }: Cve5Version) =>
  isOpen(version) && (lessThan ?? lessThanOrEqual) !== undefined && !isOpen(lessThan ?? lessThanOrEqual)

/**
 * Citrix counts builds within a branch: `13.1-FIPS` before 37.176 is 13.1 before 13.1-37.176 (CVE-2023-6548). FreeBSD counts
 * patches of a release: `13.0-RELEASE` before p11 is so before 13.0-RELEASE-p11 (CVE-2022-23084).
 */
function nameBuild(one: Cve5Version): Cve5Version {
  const [release] = /^\d{1,3}\.\d{1,3}-(?:RELEASE|RC\d|BETA\d)$/i.exec(one.version) ?? []
  if (release && /^p\d{1,3}$/i.test(one.lessThan ?? '')) return { ...one, lessThan: `${release}-${one.lessThan}` }
  const [, branch] = /^\s*(\d{1,3}\.\d)(?:-(?:FIPS|NDcPP))?\s*$/i.exec(one.version) ?? []
  const isBuild = one.versionType === 'patch' && /^\s*\d{1,3}\.\d{1,4}\s*$/.test(one.lessThan ?? '')
  return branch && isBuild ? { ...one, version: branch, lessThan: `${branch}-${one.lessThan?.trim()}` } : one
}

const maxLetters = 200

/** "22.3R2-S2, 22.3R3": each is the fix of its branch, up to the next branch, where the flaw begins anew. */
function splitEnds(one: Cve5Version): Cve5Version[] {
  const key = one.lessThan === undefined ? 'lessThanOrEqual' : 'lessThan'
  const text = one[key] ?? ''
  if (text.length > maxLetters || !/[, ]/.test(text)) return [one]
  const ends = text.split(/,(?: and | or )?|\s(?:and|or)\s/).map((end) => end.trim())
  if (ends.length < 2 || !ends.every(isDotted)) return [one]
  const read = ends.map((end) => ({ end, numbers: readNumbers(end) })).toSorted((a, b) => compareNumbers(a, b))
  return read.flatMap(({ end, numbers }, at): Cve5Version[] => {
    const before = read[at - 1]
    const start = before === undefined ? one.version : startBranch(end, before.numbers, numbers)
    return (compareVersions('loose', start, end) ?? -1) >= 0 ? [] : [{ ...one, version: start, [key]: end }]
  })
}

const isDotted = (text: string) => /^v?\d{1,6}\.\d[\w.-]{0,40}$/i.test(text) && isVersion('loose', text)
const readNumbers = (text: string) => (text.match(/\d+/g) ?? []).map(Number)
type Read = { numbers: number[] }
function compareNumbers(a: Read, b: Read) {
  const differing = a.numbers.findIndex((number, at) => number !== b.numbers[at])
  return differing === -1
    ? a.numbers.length - b.numbers.length
    : (a.numbers[differing] ?? 0) - (b.numbers[differing] ?? -1)
}

/** The first of the branches behind that of the end before: 21.4R3 for 21.4R3-S5 behind 21.4R2-S1, 7.13 for 7.14.2 behind 7.12.14. */
function startBranch(end: string, before: number[], numbers: number[]) {
  const differing = numbers.findIndex((number, at) => number !== before[at])
  const [start = end] = new RegExp(String.raw`^\D*(?:\d+\D+){${Math.max(0, differing)}}`).exec(end) ?? []
  return `${start}${(before[differing] ?? 0) + 1}`
}
