import type { Statement } from '../../worker/domain/versions/affected'
import type { AffectedRange } from '../../worker/domain/words/record'

export type JudgedVersion = {
  status: 'affected' | 'not_affected' | 'unknown'
  range: AffectedRange | null
  by: { source: string; status: string; range: AffectedRange | null }[]
}
type Change = { version: string; was: Statement[]; is: Statement[]; before: JudgedVersion; after: JudgedVersion }

const strictSemver = /^v?\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/
const inSemver = new Set(['semver', 'golang', 'pub'])
const build = /-\d|^\d+:|[+~](?:dfsg|really|deb|ubuntu)|\.(?:el|fc|amzn)\d/

/** Why the verdict on a version changed, from its source's statements before and now. */
export function findCause({ version, was, is, before, after }: Change): string {
  const changed = after.by.filter(
    ({ source, status }) => before.by.find((one) => one.source === source)?.status !== status,
  )
  if (!changed.length) return '15 sources that disagree'
  const [first] = changed
  const read = (statements: Statement[]) =>
    statements.filter(({ source }) => source === first?.source).flatMap(({ ranges }) => ranges)
  const [old, now] = [read(was), read(is)]
  if (JSON.stringify(old) !== JSON.stringify(now)) return findReading(old, now, first?.source ?? '')
  const earlier = before.by.find((one) => one.source === first?.source)?.status
  return findJudging({ version, ranges: now, source: first?.source ?? '', was: earlier, after })
}

/** Other ranges came from the same text. */
function findReading(old: AffectedRange[], now: AffectedRange[], source: string) {
  const [before, after] = [old, now].map((ranges) => ranges.map((range) => JSON.stringify(range)))
  const [gone, added] = [before?.filter((one) => !after?.includes(one)), after?.filter((one) => !before?.includes(one))]
  const isDefault = (one: string) => !/"(?:is|ge|gt|le|lt)"/.test(one) && one.includes('order')
  const isOpen = (one: string) => one.includes('"status":"unknown"') && !isDefault(one)
  if (!gone?.length && added?.length && added.every((one) => one.includes('is_by_summary')))
    return '15 told by the summary alone'
  if (!gone?.length && added?.length && added.every(isOpen)) return '20 ends of branches'
  if (!gone?.length && added?.some((one) => !isDefault(one))) return '18 two names that are one'
  if (gone?.some((one) => one.includes('\\\\'))) return '3 bounds without backslashes'
  if (gone?.some((one) => /\d ?- ?v?\d/.test(one)) && added?.some((one) => one.includes('"ge"')))
    return '2 hyphen ranges'
  if (gone?.some((one) => /"is":"[^"]*\+"/.test(one))) return '2 open ranges'
  if (gone?.some((one) => one.includes('semver')) && !added?.some((one) => one.includes('semver')))
    return '1 not SemVer'
  if (gone?.some(isDefault) || added?.some(isDefault)) return '4 the default status'
  if (gone?.some((one) => /\d[^"]* [a-z]/i.test(one) || /\d-[A-Z]/.test(one))) return '20 names of a line, words'
  return `${source}: other readings`
}

type Judging = {
  version: string
  ranges: AffectedRange[]
  source: string
  was: string | undefined
  after: JudgedVersion
}

/** The same ranges got another verdict. */
function findJudging({ version, ranges, source, was, after }: Judging) {
  const versioned = ranges.filter((range) => typeof range !== 'string' && 'order' in range)
  const orders = new Set(versioned.map(({ order }) => order as string))
  if (orders.has('pub') || orders.has('cran') || orders.has('hackage') || orders.has('alpm')) return '8, 9 orders'
  const named = versioned.flatMap(({ is, ge, gt, le, lt }) => [is, ge, gt, le, lt]).filter((text) => text !== undefined)
  const own = after.by.find((one) => one.source === source)
  const isOpen = source === 'cve' && own?.status === 'unknown' && own.range === null
  if (isOpen && was === 'not_affected') return '4 no default status'
  const isOutside = [version, ...named].some((text) => !strictSemver.test(text))
  if ([...orders].some((order) => inSemver.has(order)) && isOutside) return '1 not SemVer'
  if (isOpen) return '4 no default status'
  if (/(?:evo|esr|lts)$/i.test(version)) return '20 names of a line, words'
  if (build.test(version)) return "15 a distribution's build"
  if (own?.status === 'not_affected' && (source === 'nvd' || source === 'overrides' || source === 'osv'))
    return '5 names that differ are disjoint'
  return `${source}: other verdicts`
}
