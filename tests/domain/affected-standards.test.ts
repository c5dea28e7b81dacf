import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeStatements, type Statement } from '../../worker/domain/versions/affected'
import { parseCve5Ranges, type Cve5Affected, type Cve5Version } from '../../worker/domain/versions/cve5-status'
import { parseOsvRanges, type OsvEvent } from '../../worker/domain/versions/osv-events'
import { judgeVersion } from '../../worker/domain/versions/range-verdict'

const status = fc.constantFrom('affected', 'unaffected', 'unknown')
const statuses = fc.record({ at: fc.integer({ min: 1, max: 39 }), status })
const end = fc.constantFrom('lessThan', 'lessThanOrEqual', 'none')

// Elements must not overlap: each lies between two of the cuts, the last one perhaps without end.
const anElement = fc
  .record({
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 8 }),
    kinds: fc.array(fc.record({ status, end, changes: fc.array(statuses, { maxLength: 3 }) }), {
      minLength: 4,
      maxLength: 4,
    }),
    defaultStatus: fc.option(status, { nil: undefined }),
    isOpen: fc.boolean(),
  })
  .map(({ cuts, kinds, defaultStatus, isOpen }): Cve5Affected => {
    const sorted = cuts.toSorted((a, b) => a - b)
    const versions = kinds.slice(0, Math.floor(sorted.length / 2)).map((kind, at): Cve5Version => {
      const [from, to] = [sorted[at * 2] ?? 0, sorted[at * 2 + 1] ?? 0]
      if (kind.end === 'none') return { version: String(from), status: kind.status }
      const isLast = at === Math.floor(sorted.length / 2) - 1
      const within = kind.changes.filter((change) => change.at > from && change.at < to)
      const changes = [
        ...new Map(within.map((change) => [change.at, { at: String(change.at), status: change.status }])).values(),
      ]
      return { version: String(from), status: kind.status, [kind.end]: isLast && isOpen ? '*' : String(to), changes }
    })
    return { versions, ...(defaultStatus && { defaultStatus }) }
  })

// The pseudocode of the CVE Record Format's "versions", for versions that are integers.
function statusByStandard(version: number, { versions = [], defaultStatus = 'unknown' }: Cve5Affected) {
  const given = versions.flatMap((entry) => [entry.status, ...(entry.changes ?? []).map((change) => change.status)])
  const hasEnd = versions.some((entry) => entry.lessThan !== undefined || entry.lessThanOrEqual !== undefined)
  // A departure: an affected default beside only affected ranges counts as absent (CVE-2024-4577).
  const isMeant = defaultStatus !== 'affected' || !hasEnd || given.some((one) => one !== 'affected')
  const others = isMeant ? defaultStatus : 'unknown'
  for (const entry of versions) {
    const { lessThan, lessThanOrEqual, changes = [] } = entry
    const last = lessThan ?? lessThanOrEqual
    if (last === undefined) {
      if (version === Number(entry.version)) return entry.status
      continue
    }
    const isBelow =
      last === '*' || version < Number(last) || (lessThanOrEqual !== undefined && version === Number(last))
    if (version < Number(entry.version) || !isBelow) continue
    const reached = changes.filter(({ at }) => Number(at) <= version).sort((a, b) => Number(a.at) - Number(b.at))
    return reached.at(-1)?.status ?? entry.status
  }
  // And another: the end of what is affected is likely its fix.
  const isFix = ({ lessThan, status: first, changes = [] }: Cve5Version) =>
    Number(lessThan) === version &&
    (changes.toSorted((a, b) => Number(a.at) - Number(b.at)).at(-1)?.status ?? first) === 'affected'
  return others === 'unknown' && versions.some(isFix) ? 'unaffected' : others
}

test("the status of a version is that of CVE 5's pseudocode", () => {
  fc.assert(
    fc.property(anElement, fc.integer({ min: 0, max: 45 }), (element, version) => {
      const ranges = parseCve5Ranges(element)
      const expected = statusByStandard(version, element)
      const answer = judgeStatements(String(version), [{ source: 'cve', ranges }])
      if (ranges.length) expect(answer.status).toBe(expected === 'unaffected' ? 'not_affected' : expected)
    }),
    { numRuns: 5_000 },
  )
})

const anEvent = fc
  .tuple(fc.constantFrom('introduced', 'fixed', 'last_affected'), fc.integer({ min: 0, max: 20 }))
  .map(([kind, at]): OsvEvent => ({ [kind]: String(at) }))
const versionOfEvent = ({ introduced, fixed, last_affected }: OsvEvent) => Number(introduced ?? fixed ?? last_affected)

test('versions that OSV’s pseudocode calls vulnerable are affected, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anEvent, { selector: versionOfEvent, maxLength: 8 }),
      fc.integer({ min: 1, max: 22 }),
      (events, version) => {
        let isVulnerable = false
        for (const event of events.toSorted((a, b) => versionOfEvent(a) - versionOfEvent(b))) {
          if (event.introduced !== undefined && version >= versionOfEvent(event)) isVulnerable = true
          if (event.fixed !== undefined && version >= versionOfEvent(event)) isVulnerable = false
          if (event.last_affected !== undefined && version > versionOfEvent(event)) isVulnerable = false
        }
        const ranges = parseOsvRanges({ ranges: [{ type: 'SEMVER', events }] }, 'semver')
        if (ranges.length) expect(judgeVersion(String(version), ranges).status === 'affected').toBe(isVulnerable)
        else expect(isVulnerable).toBe(false)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a fix of a version is above it and not affected', () => {
  fc.assert(
    fc.property(anElement, fc.integer({ min: 0, max: 45 }), (element, version) => {
      const statements: Statement[] = [{ source: 'cve', ranges: parseCve5Ranges(element) }]
      const { fixed_in } = judgeStatements(String(version), statements)
      if (fixed_in === null) return
      expect(Number(fixed_in)).toBeGreaterThan(version)
      expect(statusByStandard(Number(fixed_in), element)).not.toBe('affected')
    }),
    { numRuns: 2_000 },
  )
})
