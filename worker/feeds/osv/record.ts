import * as z from 'zod'
import { isCveId } from '../../domain/names/cve'
import { computeCvssScore } from '../../domain/scores/cvss-score'
import { isMaliciousId } from '../../domain/scores/malice'
import { parseOsvPackage } from '../../domain/names/purl'
import type { AffectedPackage, CvssMetric, Reference, VulnRecord } from '../../domain/words/record'
import { advisoryText, readTitle } from '../source/advisory-text'
import { utcStamp } from '../source/dates'
import { readMalicious, readRanges } from './ranges'
import { listOwnTags } from './ghsa-record'
import { pickWeaknesses, unitePackages, uniteReferences } from '../source/fields'

const Range = z.object({
  type: z.string(),
  events: z.array(
    z.object({
      introduced: z.string().optional(),
      fixed: z.string().optional(),
      last_affected: z.string().optional(),
      limit: z.string().optional(),
    }),
  ),
})
const Severities = z.array(z.object({ type: z.string(), score: z.string() })).nullish()
const Ids = z.array(z.string()).nullish()
/** Most CVEs of a record, and most of what each of them then says: kernels of a distribution have 1,500 and 500. */
const [maxCves, maxStatements] = [5_000, 1_000_000]
/** Each becomes a row. */
const Aliases = z.array(z.string().max(200)).max(1_000).nullish()

/** An advisory without a CVE is shown by its id: it may not look like one that is given here. */
const ownId = z.string().regex(/^(?!(?:PH|ORG|EARSHOT)-)[A-Za-z][\w.:+-]{1,199}$/i)
const ghsaId = /^GHSA(?:-[\da-z]{4}){3}$/

export const OsvAdvisory = z.object({
  id: ownId,
  modified: z.string(),
  published: z.string().optional(),
  withdrawn: z.string().nullish(),
  aliases: Aliases,
  upstream: Ids,
  related: Ids,
  summary: z.string().nullish(),
  details: z.string().nullish(),
  severity: Severities,
  affected: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
        severity: Severities,
        ranges: z.array(Range).nullish(),
        versions: z.array(z.string()).nullish(),
        ecosystem_specific: z
          .object({ custom_ranges: z.array(Range).optional() })
          .nullish()
          .catch(null),
        database_specific: z.object({ last_known_affected_version_range: z.string().optional() }).nullish().catch(null),
      }),
    )
    .nullish(),
  references: z.array(z.object({ type: z.string(), url: z.string() })).nullish(),
  database_specific: z.object({ cwe_ids: Ids }).nullish().catch(null),
})
type OsvAdvisory = z.output<typeof OsvAdvisory>

/** Advisories of distributions, which named the CVEs they fix as `related` before OSV had `upstream` for it. */
const distribution =
  /^(UBUNTU-CVE|USN|LSN|DEBIAN-CVE|DSA|DLA|ALPINE-CVE|RHSA|RHBA|RHEA|SUSE|openSUSE|ALSA|RLSA|ELSA|MGASA)-/

/**
 * One record for each CVE among its id, aliases and (for distributions) `upstream`; without a CVE it goes by its GHSA id, else by its own. A
 * report of malice is about its package and no flaw: it goes by its own, as a CVE that it names would be malicious wherever else it is.
 */
export function fromOsv(advisory: OsvAdvisory): VulnRecord[] {
  const { id, aliases, upstream, related, withdrawn } = advisory
  const named = [id, ...(aliases ?? []), ...(upstream ?? [])]
  const isOldForm = distribution.test(id) && !named.some(isCveId)
  const ids = [...new Set(isOldForm ? [...named, ...(related ?? []).filter(isCveId)] : named)]
  const others = ids.filter((one) => !isCveId(one))
  const cves = ids.filter(isCveId)
  const own = others.find((one) => ghsaId.test(one)) ?? id
  const names = isMaliciousId(id) ? [id] : cves.length ? cves : [own]

  const record = withdrawn
    ? { ...common(advisory), state: 'rejected' as const }
    : { ...common(advisory), ...claims(advisory), state: 'published' as const }
  refuseMany(names.length, others.length, record)
  return names.map((cveid) => ({ ...record, cveid, aliases: others.filter((one) => isAlias(cveid, one)) }))
}

/** Throws where all that is said of each CVE would fill the memory of a Worker. */
function refuseMany(cves: number, aliases: number, { references = [], packages = [] }: Partial<VulnRecord>) {
  if (cves > maxCves) throw new Error(`Names ${cves} CVEs`)
  const ranges = packages.reduce((sum, one) => sum + one.ranges.length, 0)
  const statements = cves * (aliases + references.length + ranges)
  if (statements > maxStatements) throw new Error(`Says ${statements} things of its ${cves} CVEs`)
}

// Distributions have one id per CVE: UBUNTU-CVE-2024-1 is CVE-2024-1 and no other.
function isAlias(cveid: string, id: string) {
  const own = /-(CVE-\d{4}-\d+)$/.exec(id)?.[1]
  return id !== cveid && (own === undefined || own === cveid)
}

function common({ id, summary, details, references, ...dates }: OsvAdvisory) {
  const [published, modified] = [parseTime(dates.published), parseTime(dates.modified)]
  const title = readTitle(summary ?? '', '')
  return {
    ref: id,
    ...(title && { title }),
    // The details of malicious packages name hosts of attackers.
    summary: advisoryText(summary ?? '', isMaliciousId(id) ? '' : (details ?? '')),
    ...(published && { published }),
    ...(modified && { modified }),
    references: readReferences(id, references ?? []),
  }
}

// Go's zero time, `0001-01-01` or `1-01-01`, means unknown.
const parseTime = (text: string | undefined) => (text && !/^0*1-01-01/.test(text) ? utcStamp(text) : undefined)

function claims({ id, severity, affected, database_specific }: OsvAdvisory) {
  const severities = [...(severity ?? []), ...(affected ?? []).flatMap((one) => one.severity ?? [])]
  const [cvss, cvss3, cvss4] = ['CVSS_V2', 'CVSS_V3', 'CVSS_V4'].map((type) => readMetric(severities, type))
  return {
    ...(cvss && { cvss }),
    ...(cvss3 && { cvss3 }),
    ...(cvss4 && { cvss4 }),
    cwe_ids: pickWeaknesses(database_specific?.cwe_ids ?? []),
    packages: readPackages(affected ?? [], isMaliciousId(id)),
    ...(isMaliciousId(id) && { is_malicious: true as const, cwe_ids: [embeddedMaliciousCode] }),
  }
}

const embeddedMaliciousCode = 'CWE-506'

// OSV gives the vector but no score; distributions have words of their own ("Ubuntu": "medium").
function readMetric(severities: { type: string; score: string }[], version: string): CvssMetric | undefined {
  for (const { type, score: vector } of severities) {
    const score = type === version ? computeCvssScore(vector) : null
    if (score !== null) return { score, vector, by: 'OSV' }
  }
  return undefined
}

const tagByType = new Map([
  ['FIX', ['Patch']],
  ['ADVISORY', ['Third Party Advisory']],
  ['REPORT', ['Issue Tracking']],
  ['ARTICLE', ['Technical Description']],
  ['EVIDENCE', ['Exploit']],
  ['PACKAGE', ['Product']],
])

const webAddress = /^(https?|ftp):\/\//i
/** Records of malicious packages link what attackers serve: only pages about them lead somewhere. */
const advisoryAddress = /^https:\/\/(github\.com\/(advisories|ossf)|osv\.dev|nvd\.nist\.gov|www\.cve\.org)\//i

function readReferences(id: string, references: { type: string; url: string }[]): Reference[] {
  const address = isMaliciousId(id) ? advisoryAddress : webAddress
  const page = { url: `https://osv.dev/vulnerability/${id}`, tags: ['Third Party Advisory'] }
  const others = references.filter(({ url }) => address.test(url))
  return uniteReferences([
    page,
    ...others.map(({ type, url }) => ({ url, tags: [...listOwnTags(url), ...(tagByType.get(type) ?? [])] })),
  ])
}

/** An entry without a package (a GIT repository alone) names none. */
const readPackages = (affected: NonNullable<OsvAdvisory['affected']>, isMalicious: boolean): AffectedPackage[] =>
  unitePackages(
    affected.flatMap(({ package: named, ranges, versions, ...specific }) => {
      if (!named) return []
      const { type, name, order, on } = parseOsvPackage(named.ecosystem, named.name)
      const given = {
        ranges: ranges ?? [],
        versions: versions ?? [],
        custom: specific.ecosystem_specific?.custom_ranges,
        lastKnown: specific.database_specific?.last_known_affected_version_range,
      }
      return [{ type, name, ranges: isMalicious ? readMalicious(given, order, on) : readRanges(given, order, on) }]
    }),
  )
