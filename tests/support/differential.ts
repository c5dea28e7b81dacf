import { parseOsvPackage, parsePurl } from '../../worker/domain/names/purl'
import { findRelease } from '../../worker/domain/names/purl-release'
import { judgeStatements, type Answer } from '../../worker/domain/versions/affected'
import { isInverted, namesNoVersion, toInterval } from '../../worker/domain/versions/range-match'
import { isVersionRange } from '../../worker/domain/versions/range'
import { isBySummary, rangeRelease, rangeStatus } from '../../worker/domain/versions/range-verdict'
import type { AffectedRange, SourceKey, VulnRecord } from '../../worker/domain/words/record'
import { fromOsv, OsvAdvisory } from '../../worker/feeds/osv/record'
import { fromRedhat, RedhatCve } from '../../worker/feeds/redhat/record'
import {
  groupMatches,
  isAffectedByCpe,
  isAffectedByOsv,
  isPlainElementOfOsv,
  isPlainProduct,
  listAsked,
  listNamedByCpe,
  listNamedByOsv,
} from './plain-judge'
import type { Configuration, OsvElement } from './plain-judge'
import { judgeRedhatBuild, listAskedBuilds, listRedhatSayings, type RawRedhat } from './plain-redhat'

/** One answer of ours beside that of the plain judge; `why` is empty where they agree. */
export type Compared = { what: string; kind: 'right' | 'otherwise' | 'unknown'; why: string }

type Asked = { what: string; version: string; isAffected: boolean; source: SourceKey; ranges: AffectedRange[] }

function compare({ what, version, isAffected, source, ranges }: Asked, explain: (answer: Answer) => string): Compared {
  const answer = judgeStatements(version, [{ source, ranges }])
  if (answer.status === (isAffected ? 'affected' : 'not_affected')) return { what, kind: 'right', why: '' }
  const kind = answer.status === 'unknown' ? 'unknown' : 'otherwise'
  return { what, kind, why: explainByRange(answer.range) ?? explain(answer) }
}

function explainByRange(range: AffectedRange | null) {
  if (range === null) return null
  if (isVersionRange(range) && range.is_guess) return 'of several ends without beginnings each is that of its branch'
  if (isBySummary(range)) return 'the summary calls affected what the list leaves out'
  if (namesNoVersion(range)) return 'it names the product and no version'
  const { is, order, bounds } = toInterval(range)
  if (isInverted(order, bounds)) return 'a range that begins above its end holds its beginning alone for certain'
  if (is?.endsWith('.*')) return 'a release of a distribution is named, and nobody tells of its point releases'
  return null
}

/** Statements of a record of NVD or of its overrides on plain numbers, product by product. */
export function compareCpes(source: SourceKey, id: string, configurations: Configuration[], record: VulnRecord) {
  const affected = record.affected ?? []
  return [...groupMatches(configurations)].flatMap(([name, matches]) => {
    const own = affected.find(({ vendor, product }) => `${vendor}:${product}` === name.replaceAll(/\\(.)/g, '$1'))
    if (!own || !isPlainProduct(matches)) return []
    return listAsked(listNamedByCpe(matches)).map((version) =>
      compare(
        {
          what: `${id} ${name} ${version}`,
          version,
          isAffected: isAffectedByCpe(version, matches),
          source,
          ranges: own.ranges,
        },
        () => explainByName(version, own.ranges, matches.length),
      ),
    )
  })
}

function explainByName(version: string, ranges: AffectedRange[], own: number) {
  if (ranges.filter((range) => rangeStatus(range) === 'affected').length > own)
    return 'two names of one product are read as one'
  return /(?:19|20)\d{6}$/.test(version)
    ? 'dates are compared by their parts, and a number between them that is no day stands behind them'
    : 'another answer'
}

type RawOsv = { id: string; affected?: (OsvElement & { ecosystem_specific?: { custom_ranges?: unknown } })[] }

/** Statements of an advisory of OSV on plain numbers, package by package. */
export function compareOsv(raw: RawOsv): Compared[] {
  const [record] = fromOsv(OsvAdvisory.parse(raw))
  const byPackage = Map.groupBy(raw.affected ?? [], ({ package: named }) => JSON.stringify(named))
  return [...byPackage.values()].flatMap((elements) => {
    const [first] = elements
    if (!first?.package || !elements.every(isPlainElementOfOsv)) return []
    const { ecosystem, name } = first.package
    const { type, name: own } = parseOsvPackage(ecosystem, name)
    const ranges = record?.packages?.find((one) => one.type === type && one.name === own)?.ranges
    if (!ranges) return []
    const hasCustom = elements.some(({ ecosystem_specific }) => ecosystem_specific?.custom_ranges)
    return listAsked(elements.flatMap(listNamedByOsv)).map((version) =>
      compare(
        {
          what: `${raw.id} ${name} ${version}`,
          version,
          isAffected: elements.some((element) => isAffectedByOsv(version, element)),
          source: 'osv',
          ranges,
        },
        () => (hasCustom ? 'Go counts ranges of its own, too' : 'another answer'),
      ),
    )
  })
}

/** Statements of Red Hat on builds, package by package, on the releases that it names. */
export function compareRedhat(raw: RawRedhat): Compared[] {
  const { packages = [] } = fromRedhat(RedhatCve.parse(raw))
  return listRedhatSayings(raw).flatMap((saying) => {
    const { name, release } = saying
    const ranges = packages.find((one) => one.type === 'rpm' && one.name === `redhat/${name}`)?.ranges
    return listAskedBuilds(saying).map((version): Compared => {
      const what = `${raw.name} ${name} ${version} on ${release}`
      const expected = judgeRedhatBuild(version, saying)
      if (!ranges)
        return {
          what,
          kind: 'unknown',
          why:
            expected === 'affected'
              ? 'another answer'
              : 'a package that is affected on no release is not named, and none of it is found',
        }
      const on = findReleaseAsked(version, release, ranges)
      const { status } = judgeStatements(version, [{ source: 'redhat', ranges }], { on })
      if (status === expected) return { what, kind: 'right', why: '' }
      return { what, kind: status === 'unknown' ? 'unknown' : 'otherwise', why: 'another answer' }
    })
  })
}

/** As a purl of an inventory tells it where it is a release of the system; its name where no purl does. */
function findReleaseAsked(version: string, release: string, ranges: AffectedRange[]) {
  const [, number] = /^Red Hat Enterprise Linux (\d+)$/.exec(release) ?? []
  if (number === undefined) return release
  const purl = parsePurl(`pkg:rpm/redhat/any@${version}?distro=redhat-${number}`)
  return purl
    ? findRelease(
        purl,
        ranges.flatMap((range) => rangeRelease(range) ?? []),
      )
    : release
}
