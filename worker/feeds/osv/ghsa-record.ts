import * as z from 'zod'
import { isCveId } from '../../domain/names/cve'
import { normalizePackageName } from '../../domain/names/purl'
import type {
  AffectedPackage,
  Bounds,
  CvssMetric,
  VersionOrder,
  VersionRange,
  VulnRecord,
} from '../../domain/words/record'
import { compareVersions, packageOrder } from '../../domain/versions/versions'
import { advisoryText, readTitle } from '../source/advisory-text'
import { utcStamp } from '../source/dates'
import { pickWeaknesses, unitePackages } from '../source/fields'

const Severity = z.object({ vector_string: z.string().nullable(), score: z.number().nullable() }).nullish()

export const GhsaAdvisory = z.object({
  ghsa_id: z.string().regex(/^GHSA(-[2-9cfghjmpqrvwx]{4}){3}$/),
  summary: z.string(),
  description: z.string().nullish(),
  identifiers: z.array(z.object({ value: z.string() })).optional(),
  cve_id: z.string().nullish(),
  references: z.array(z.string()).nullish(),
  published_at: z.string(),
  updated_at: z.string(),
  withdrawn_at: z.string().nullish(),
  html_url: z.string().optional(),
  cvss: Severity,
  cvss_severities: z.object({ cvss_v3: Severity, cvss_v4: Severity }).nullish(),
  cwes: z.array(z.object({ cwe_id: z.string() })).nullish(),
  vulnerabilities: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string() }).nullish(),
        vulnerable_version_range: z.string().nullish(),
        first_patched_version: z.string().nullish(),
      }),
    )
    .nullish(),
})
type GhsaAdvisory = z.output<typeof GhsaAdvisory>

/** The purl types of GitHub's ecosystems. */
const typeByEcosystem = new Map<string, string>([
  ['actions', 'githubactions'],
  ['composer', 'composer'],
  ['erlang', 'hex'],
  ['go', 'golang'],
  ['maven', 'maven'],
  ['npm', 'npm'],
  ['nuget', 'nuget'],
  ['pip', 'pypi'],
  ['pub', 'pub'],
  ['rubygems', 'gem'],
  ['rust', 'cargo'],
  ['swift', 'swift'],
])

/** One record for each CVE that the advisory names, or one for the advisory itself. */
export function fromGhsa(advisory: GhsaAdvisory): VulnRecord[] {
  const { ghsa_id, identifiers = [], cve_id, withdrawn_at } = advisory
  const ids = [...new Set([ghsa_id, ...(cve_id ? [cve_id] : []), ...identifiers.map(({ value }) => value)])]
  const cves = ids.filter(isCveId)
  const record = { ...readCommon(advisory), aliases: ids.filter((id) => !isCveId(id)) }
  const statement = withdrawn_at ? { ...record, state: 'rejected' as const } : { ...record, ...readClaims(advisory) }
  if (!cves.length) return [{ ...statement, cveid: ghsa_id, aliases: statement.aliases.filter((id) => id !== ghsa_id) }]
  return cves.map((cveid) => ({ ...statement, cveid }))
}

const readCommon = ({ ghsa_id, summary, description, html_url, references, ...dates }: GhsaAdvisory) => ({
  ref: ghsa_id,
  state: 'published' as const,
  title: readTitle(summary, ''),
  summary: advisoryText(summary, description ?? ''),
  published: utcStamp(dates.published_at),
  modified: utcStamp(dates.updated_at),
  references: [
    { url: html_url ?? `https://github.com/advisories/${ghsa_id}`, tags: ['Third Party Advisory'] },
    ...[...new Set(references ?? [])]
      .filter((url) => /^https?:\/\//i.test(url) && url !== html_url && !url.endsWith(`/advisories/${ghsa_id}`))
      .map((url) => ({ url, tags: listOwnTags(url) })),
  ],
})

function readClaims({ cvss, cvss_severities, cwes, vulnerabilities }: GhsaAdvisory) {
  const v3 = readMetric(cvss_severities?.cvss_v3 ?? cvss)
  const v4 = readMetric(cvss_severities?.cvss_v4)
  return {
    ...(v3 && { cvss3: v3 }),
    ...(v4 && { cvss4: v4 }),
    cwe_ids: pickWeaknesses((cwes ?? []).map(({ cwe_id }) => cwe_id)),
    packages: readPackages(vulnerabilities ?? []),
  }
}

const readMetric = (severity: z.output<typeof Severity>): CvssMetric | undefined =>
  severity?.vector_string && severity.score !== null
    ? { score: severity.score, vector: severity.vector_string, by: 'GitHub' }
    : undefined

/** An entry without a range means all versions. */
const readPackages = (vulnerabilities: NonNullable<GhsaAdvisory['vulnerabilities']>): AffectedPackage[] =>
  unitePackages(
    vulnerabilities.flatMap(({ package: named, vulnerable_version_range: text, first_patched_version }) => {
      const type = named && typeByEcosystem.get(named.ecosystem.toLowerCase())
      if (!type) return []
      const range = parseGhsaRange(text?.trim() || '>= 0', first_patched_version, packageOrder(type))
      return [{ type, name: normalizePackageName(type, named.name), ranges: [range] }]
    }),
  )

const repositoryAdvisory = /^https:\/\/github\.com\/[^/]+\/[^/]+\/security\/advisories\/GHSA-/i

/** An advisory of a repository is written by those who maintain it: nobody else can. */
export const listOwnTags = (url: string) => (repositoryAdvisory.test(url) ? ['Vendor Advisory'] : [])

const comparator = /^(>=|<=|>|<|=)\s*(\S+)$/
const bounds = { '>=': 'ge', '>': 'gt', '<=': 'le', '<': 'lt' } as const

/**
 * As in GitHub's OSV export, a range ends at `patched` where it ends before that or not at all; `< 2.0` names no fix unless
 * that is the patched version. Throws on any other text.
 */
export function parseGhsaRange(text: string, patched: string | null | undefined, order: VersionOrder): VersionRange {
  const { is, ...limits } = readLimits(text)
  const { ge, gt, le, lt } = limits
  const isAfter = (version: string) => (compareVersions(order, version, patched ?? '') ?? 0) < 0
  const last = is ?? le ?? lt
  if (patched && (last === undefined ? isAfter(ge ?? gt ?? '0') : isAfter(last)))
    return { order, ...(gt !== undefined && { gt }), ...((is ?? ge) !== undefined && { ge: is ?? ge }), lt: patched }
  if (is !== undefined) return { order, is }
  const isFix = patched && lt !== undefined && (patched === lt || compareVersions(order, patched, lt) === 0)
  return { order, ...limits, ...(lt !== undefined && !isFix && { is_fix_unstated: true }) }
}

function readLimits(text: string): Bounds & { is?: string } {
  const limits: Bounds & { is?: string } = {}
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, sign, version = ''] = comparator.exec(part) ?? []
    if (sign === '=') limits.is = version
    else if (sign !== '>=' && sign !== '>' && sign !== '<=' && sign !== '<')
      throw new Error(`Not a version range: ${text}`)
    // GitHub's text for "from the first version on": pre-releases of it count, too.
    else if (sign !== '>=' || version !== '0') limits[bounds[sign]] = version
  }
  return limits
}
