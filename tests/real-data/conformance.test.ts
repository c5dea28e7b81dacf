import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { parseCpe } from '../../worker/domain/names/cpe'
import type { Cve5Affected } from '../../worker/domain/versions/cve5-status'
import { computeCvssScore } from '../../worker/domain/scores/cvss-score'
import { parseOsvRanges, type OsvAffected } from '../../worker/domain/versions/osv-events'
import { formatPurl, parseOsvPackage, parsePurl } from '../../worker/domain/names/purl'
import { judgeVersion } from '../../worker/domain/versions/range-verdict'
import { computeRating } from '../../worker/domain/scores/rating'
import { packageOrder } from '../../worker/domain/versions/versions'
import { unorderedTypes } from '../../worker/domain/versions/orders/same-text'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { fromOverride, Override } from '../../worker/feeds/nvd/overrides-record'
import { isPlainElement, judgeByStandard } from '../support/cve5-standard'
import { compareCpes, compareOsv, compareRedhat, type Compared } from '../support/differential'
import type { Configuration } from '../support/plain-judge'
import type { RawRedhat } from '../support/plain-redhat'
import { canonicalPurls, departedPurls, refusedPurls } from '../support/purl-cases'
import { ascendingVersions, pairsOfLine } from '../support/version-orders'
import { realData } from '../support/real-data'

// Samples of others, beside the repository; the page /conformance shows the results in `worker/public/conformance.json`.
const shared = realData
const file = new URL('../../worker/public/conformance.json', import.meta.url)

/** `npm run conformance` writes the file anew, and reads every record for it; each other run compares with a part of them. */
const isWriting = process.env['WRITE_CONFORMANCE'] !== undefined

type Kind = 'otherwise' | 'unknown' | 'refused' | 'wrong'
type Difference = { kind: Kind; count: number; what: string; why: string }
type About = { id: string; name: string; source: string }
type ConformanceSet = About & { cases: number; right: number } & Record<Kind, number> & { differences: Difference[] }

/** Counts cases: each is right, or differs for a reason. A case without one is wrong. */
function countCases(about: About) {
  let [cases, right] = [0, 0]
  const found = new Map<string, Difference>()
  return {
    add(isRight: boolean, what: string, why: string, named: Kind = 'otherwise') {
      cases++
      if (isRight) return void right++
      const kind = why.startsWith('another') ? 'wrong' : named
      const known = found.get(kind + why) ?? { kind, what, why, count: 0 }
      found.set(kind + why, { ...known, count: known.count + 1 })
    },
    end(): ConformanceSet {
      const differences = [...found.values()]
      const sum = (kind: Kind) =>
        differences.filter((one) => one.kind === kind).reduce((total, { count }) => total + count, 0)
      const counts = {
        otherwise: sum('otherwise'),
        unknown: sum('unknown'),
        refused: sum('refused'),
        wrong: sum('wrong'),
      }
      return { ...about, cases, right, ...counts, differences }
    },
  }
}

function countCompared(about: About, compared: Iterable<Compared>) {
  const set = countCases(about)
  for (const { what, kind, why } of compared)
    set.add(kind === 'right', what, why, kind === 'right' ? 'otherwise' : kind)
  return set.end()
}

const read = (path: string) => readFileSync(new URL(path, shared))
const namesIn = (folder: string) => readdirSync(new URL(folder, shared)).toSorted()

function scoreRedHat() {
  const set = countCases({ id: 'cvss-redhat', name: 'CVSS 2.0, 3.0, 3.1 and 4.0 base scores', source: 'Red Hat, cvss' })
  const folder = 'feeds/cvss/redhat-cvss/'
  for (const name of namesIn(folder))
    for (const [, vector = '', base] of read(folder + name)
      .toString()
      .matchAll(/^(\S+) - \(?([\d.]+)/gm))
      set.add(computeCvssScore(vector) === Number(base), vector, 'another score')
  return set.end()
}

function scoreFirst() {
  const set = countCases({ id: 'cvss-first', name: 'CVSS 4.0 macro vectors', source: 'FIRST, cvss-v4-calculator' })
  const lines = read('feeds/cvss/first-cvss-v4/macro-scores').toString()
  for (const [, vector = '', score] of lines.matchAll(/'vector': '(\S+)', 'score': ([\d.]+)/g))
    set.add(computeCvssScore(vector) === Number(score), vector, 'another score')
  return set.end()
}

function rateGolden() {
  const set = countCases({ id: 'rating', name: 'Ratings', source: 'golden values of the specification' })
  const golden = JSON.parse(read('rating/rating-golden.json').toString()) as {
    screen: { vector: string; score: number }[]
  }
  for (const { vector, score } of golden.screen) set.add(computeRating(vector).score === score, vector, 'another score')
  return set.end()
}

type OsvRecord = { id: string; affected?: (OsvAffected & { package?: { ecosystem: string; name: string } })[] }

function judgeOsv(ecosystem: string) {
  const set = countCases({
    id: `osv-${ecosystem.toLowerCase()}`,
    name: `Versions of ${ecosystem} that records enumerate, by their ranges alone`,
    source: 'OSV',
  })
  for (const bytes of Object.values(unzipSync(read(`feeds/osv/${ecosystem}/all.zip`)))) {
    const { id, affected = [] } = JSON.parse(strFromU8(bytes)) as OsvRecord
    for (const { package: named, ranges = [], versions = [] } of affected) {
      if (!named || !ranges.some(({ type }) => type !== 'GIT')) continue
      const bounds = parseOsvRanges({ ranges }, parseOsvPackage(named.ecosystem, named.name).order)
      for (const version of versions) {
        const { status } = judgeVersion(version, bounds)
        const why =
          status === 'unknown'
            ? 'no version of its order: answered as unknown'
            : 'the record contradicts itself: it enumerates what its ranges leave out'
        set.add(status === 'affected', `${id} ${version}`, why, status === 'unknown' ? 'unknown' : 'otherwise')
      }
    }
  }
  return set.end()
}

function readCpes() {
  const set = countCases({ id: 'cpe', name: 'CPE names of analyses are read', source: 'NVD, 2002 to 2015' })
  const folder = 'feeds/nvd/2.0/'
  const seen = new Set<string>()
  for (const name of namesIn(folder).filter((one) => one.endsWith('.json.gz')))
    for (const [, text = ''] of gunzipSync(read(folder + name))
      .toString()
      .matchAll(/"criteria":"((?:[^"\\]|\\.)*)"/g))
      seen.add(text)
  for (const text of seen) set.add(parseCpe(JSON.parse(`"${text}"`) as string) !== null, text, 'no CPE name', 'refused')
  return set.end()
}

function* listCve5() {
  const folder = 'feeds/cve5/'
  for (const name of namesIn(folder).filter((one) => one.endsWith('.json.gz')))
    yield* JSON.parse(gunzipSync(read(folder + name)).toString()) as RawCve5[]
}
type RawCve5 = { cveMetadata: { cveId: string }; containers: { cna: { affected?: Cve5Affected[] } } }

function readCveList() {
  const list = countCases({ id: 'cve5', name: 'Records of the CVE list are read', source: 'CVE list, to 2024' })
  const verdicts = countCases({
    id: 'cve5-verdicts',
    name: 'Versions of plain numbers are judged as the CVE Record Format does',
    source: 'CVE list, to 2024, and the pseudocode of the format',
  })
  for (const record of listCve5()) {
    const { cveId } = record.cveMetadata
    const parsed = Cve5.safeParse(record)
    list.add(parsed.success && fromCve5(parsed.data).cveid !== '', cveId, 'breaks its schema', 'refused')
    for (const element of (record.containers.cna.affected ?? []).filter(isPlainElement))
      for (const { version, isRight, why, kind } of judgeByStandard(element))
        verdicts.add(isRight, `${cveId} ${version}`, why, kind)
  }
  return [list.end(), verdicts.end()]
}

function comparePairs() {
  const set = countCases({
    id: 'orders',
    name: 'Pairs of versions are put in the order of their ecosystem',
    source: 'examples of 14 standards and tools, and of the loose order',
  })
  for (const [order, line] of ascendingVersions)
    for (const { pair, isRight } of pairsOfLine(order, line)) set.add(isRight, pair, 'another order')
  return set.end()
}

/** Types of purl-spec and of OSV's ecosystems whose versions people compare. */
const types =
  'alpm apk bioconductor bitnami cargo composer conan conda cpan cran deb docker ebuild gem generic github githubactions golang hackage ' +
  'hex julia maven npm nuget oci opam pub pypi rpm rpmmod swift vscode-extension wordpress'

function orderTypes() {
  const set = countCases({
    id: 'types',
    name: 'Types of packages have an order of versions that a standard or tool gives',
    source: 'purl-spec, OSV',
  })
  for (const type of types.split(' ')) {
    const why = unorderedTypes.has(type)
      ? `${[...unorderedTypes.values()].join(' and ')} have orders of their own that are not written here: what lies between bounds cannot be told, and is answered as unknown`
      : 'no order is written here: compared by a guess, whose answers are likely at most, but between plain numbers'
    const kind = unorderedTypes.has(type) ? 'unknown' : 'otherwise'
    set.add(!['loose', 'unordered'].includes(packageOrder(type)), `pkg:${type}`, why, kind)
  }
  return set.end()
}

function readPurls() {
  const set = countCases({ id: 'purl', name: 'Package URLs are read and written', source: 'purl-spec, its tests' })
  for (const [purl, canonical] of canonicalPurls) {
    const { type, name, version, ...more } = parsePurl(purl) ?? { type: '', name: '', version: null }
    set.add(formatPurl(type, name, version ?? undefined, more) === canonical, purl, 'written otherwise')
  }
  for (const [, purl] of refusedPurls) set.add(parsePurl(purl) === null, purl, 'read though it is wrong')
  for (const [why, purl] of departedPurls) set.add(parsePurl(purl) === null, purl, `read on purpose: ${why}`)
  return set.end()
}

type RawNvd = { cve: { id: string; configurations?: Configuration[] } }

/** Every record, or those of one year. */
function* compareNvd() {
  const folder = 'feeds/nvd/2.0/'
  for (const name of namesIn(folder).filter((one) => one.endsWith(isWriting ? '.json.gz' : '-2003.json.gz'))) {
    const { vulnerabilities } = JSON.parse(gunzipSync(read(folder + name)).toString()) as { vulnerabilities: RawNvd[] }
    for (const { cve } of vulnerabilities) {
      const record = fromNvd(NvdCve.parse(cve))
      if (record.state === 'published') yield* compareCpes('nvd', cve.id, cve.configurations ?? [], record)
    }
  }
}

type RawOverride = { _annotation: { cve_id: string }; cve: { configurations?: Configuration[] } }

function* compareOverrides() {
  const folder = 'feeds/nvd-overrides/'
  for (const name of namesIn(folder).filter((one) => one.endsWith(isWriting ? '.json.gz' : '-2023.json.gz')))
    for (const raw of JSON.parse(gunzipSync(read(folder + name)).toString()) as RawOverride[]) {
      const record = fromOverride(Override.parse(raw))
      const { _annotation: about, cve } = raw
      if (record.state === 'published') yield* compareCpes('overrides', about.cve_id, cve.configurations ?? [], record)
    }
}

function* compareAdvisories() {
  for (const ecosystem of isWriting ? ['PyPI', 'Go'] : ['Go'])
    for (const bytes of Object.values(unzipSync(read(`feeds/osv/${ecosystem}/all.zip`)))) {
      const raw = JSON.parse(strFromU8(bytes)) as OsvRecord & { withdrawn?: string }
      if (!raw.withdrawn) yield* compareOsv(raw)
    }
}

function* compareBuilds() {
  const folder = 'feeds/redhat/'
  for (const name of namesIn(folder).filter((one) => one.endsWith(isWriting ? '.json.gz' : '-2025.json.gz')))
    for (const raw of JSON.parse(gunzipSync(read(folder + name)).toString()) as RawRedhat[]) yield* compareRedhat(raw)
}

const judgedPlainly = 'a slow judge of plain numbers and of builds, written from the documents of the formats alone'

const compareWithPlainJudge = () => [
  countCompared(
    { id: 'plain-nvd', name: 'Versions beside the CPE matches of NVD', source: judgedPlainly },
    compareNvd(),
  ),
  countCompared(
    { id: 'plain-overrides', name: 'Versions beside the CPE matches of its overrides', source: judgedPlainly },
    compareOverrides(),
  ),
  countCompared(
    { id: 'plain-osv', name: 'Versions beside the events of OSV', source: judgedPlainly },
    compareAdvisories(),
  ),
  countCompared(
    { id: 'plain-redhat', name: 'Builds beside the fixes and states of Red Hat', source: judgedPlainly },
    compareBuilds(),
  ),
]

/** Read in part here, or by `records.test.ts`. */
const isPlainSet = ({ id }: About) => id.startsWith('plain-') || id === 'cpe'

test('conformance.json tells what came out of each set', { timeout: 1_200_000 }, () => {
  const sets = [
    scoreRedHat(),
    scoreFirst(),
    rateGolden(),
    judgeOsv('PyPI'),
    judgeOsv('Go'),
    ...(isWriting ? [readCpes()] : []),
    ...readCveList(),
    ...compareWithPlainJudge(),
    comparePairs(),
    orderTypes(),
    readPurls(),
  ].filter(({ cases }) => cases > 0)
  expect(sets.map(({ id, cases }) => [id, cases > 30])).toEqual(sets.map(({ id }) => [id, true]))
  if (isWriting) writeFileSync(file, `${JSON.stringify(sets, null, 2)}\n`)
  expect(sets.flatMap(({ differences }) => differences).filter(({ kind }) => kind === 'wrong')).toEqual([])
  const written = JSON.parse(readFileSync(file, 'utf8')) as ConformanceSet[]
  const isWhole = (set: About) => isWriting || !isPlainSet(set)
  expect(written.filter(isWhole)).toEqual(sets.filter(isWhole))
  // Of a part of the records nothing differs for another reason than of all.
  const reasons = new Set(written.flatMap(({ id, differences }) => differences.map(({ why }) => `${id} ${why}`)))
  const own = sets.filter(isPlainSet).flatMap(({ id, differences }) => differences.map(({ why }) => `${id} ${why}`))
  expect(own.filter((reason) => !reasons.has(reason))).toEqual([])
})
