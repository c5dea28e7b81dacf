import * as z from 'zod'
import { parseCpe, cpeTail, unescapeVersion } from '../../domain/names/cpe'
import { cveIdPattern } from '../../domain/names/cve'
import { leavePointReleasesOpen } from '../../domain/versions/point-releases'
import { joinSisters } from '../../domain/names/sister-names'
import type { AffectedProduct, AffectedRange, CvssMetric, VulnRecord } from '../../domain/words/record'
import { leaveSpokenOpen } from '../../domain/versions/spoken-ends'
import { utcStamp } from '../source/dates'
import { pickWeaknesses, uniteReferences } from '../source/fields'

const Metric = z.object({
  source: z.string(),
  type: z.string().optional(),
  cvssData: z.object({ version: z.string(), vectorString: z.string(), baseScore: z.number().min(0).max(10) }),
})
type Metric = z.output<typeof Metric>
const Metrics = z.array(Metric).optional()

const CpeMatch = z.object({
  vulnerable: z.boolean(),
  criteria: z.string(),
  versionStartIncluding: z.string().optional(),
  versionStartExcluding: z.string().optional(),
  versionEndIncluding: z.string().optional(),
  versionEndExcluding: z.string().optional(),
})
type CpeMatch = z.output<typeof CpeMatch>
export const Configurations = z.array(
  z.object({ nodes: z.array(z.object({ negate: z.boolean().optional(), cpeMatch: z.array(CpeMatch) })) }),
)

export const NvdCve = z.object({
  id: z.string().regex(cveIdPattern),
  sourceIdentifier: z.string().optional(),
  published: z.string(),
  lastModified: z.string(),
  vulnStatus: z.string().optional(),
  descriptions: z.array(z.object({ lang: z.string(), value: z.string() })),
  metrics: z
    .object({ cvssMetricV2: Metrics, cvssMetricV30: Metrics, cvssMetricV31: Metrics, cvssMetricV40: Metrics })
    .optional(),
  weaknesses: z.array(z.object({ description: z.array(z.object({ value: z.string() })) })).optional(),
  configurations: Configurations.optional(),
  references: z.array(z.object({ url: z.string(), tags: z.array(z.string()).optional() })).optional(),
})
export type NvdCve = z.output<typeof NvdCve>

/** "Running on" parts (`vulnerable: false`) are not affected products. */
export function fromNvd(cve: NvdCve): VulnRecord {
  const { metrics = {} } = cve
  const common = {
    cveid: cve.id,
    summary: readSummary(cve),
    published: utcStamp(cve.published),
    modified: utcStamp(cve.lastModified),
    ...(cve.sourceIdentifier && { assigner: cve.sourceIdentifier }),
    references: uniteReferences(cve.references ?? []),
  }
  if (cve.vulnStatus === 'Rejected') return { ...common, state: 'rejected' }

  const cvss = best(metrics.cvssMetricV2)
  const cvss3 = best([...(metrics.cvssMetricV31 ?? []), ...(metrics.cvssMetricV30 ?? [])])
  const cvss4 = best(metrics.cvssMetricV40)
  return {
    ...common,
    state: 'published',
    ...(cvss && { cvss }),
    ...(cvss3 && { cvss3 }),
    ...(cvss4 && { cvss4 }),
    cwe_ids: readWeaknesses(cve),
    affected: leaveSpokenOpen(common.summary, readNvdAffected(cve.configurations)),
  }
}

function readSummary({ descriptions }: NvdCve) {
  const [first] = descriptions
  return (descriptions.find(({ lang }) => lang === 'en' || lang.startsWith('en-')) ?? first)?.value.trim() ?? ''
}

const nvd = 'nvd@nist.gov'

// The newest version first, then NVD before a CNA, then primary before secondary; equal ones stay in their order.
function best(metrics: Metric[] | undefined): CvssMetric | undefined {
  const order = (a: Metric, b: Metric) =>
    b.cvssData.version.localeCompare(a.cvssData.version) ||
    Number(b.source === nvd) - Number(a.source === nvd) ||
    Number(b.type === 'Primary') - Number(a.type === 'Primary')
  const [chosen] = [...(metrics ?? [])].sort(order)
  return chosen && { score: chosen.cvssData.baseScore, vector: chosen.cvssData.vectorString, by: chosen.source }
}

const readWeaknesses = ({ weaknesses = [] }: NvdCve) => [
  ...new Set(pickWeaknesses(weaknesses.flatMap(({ description }) => description.map(({ value }) => value)))),
]

export function readNvdAffected(configurations: z.output<typeof Configurations> = []): AffectedProduct[] {
  const byName = new Map<string, AffectedProduct & { seen: Set<string> }>()
  for (const { nodes } of configurations)
    for (const { negate, cpeMatch } of nodes) {
      if (negate) continue
      for (const match of cpeMatch) if (match.vulnerable) addMatch(byName, match)
    }
  return joinSisters([...byName.values()]).map(({ vendor, product, ranges }) => ({
    vendor,
    product,
    ranges: leavePointReleasesOpen({ vendor, product }, ranges),
  }))
}

function addMatch(byName: Map<string, AffectedProduct & { seen: Set<string> }>, match: CpeMatch) {
  const cpe = parseCpe(match.criteria)
  if (!cpe) return
  const key = `${cpe.vendor}:${cpe.product}`
  let named = byName.get(key)
  if (!named) byName.set(key, (named = { vendor: cpe.vendor, product: cpe.product, ranges: [], seen: new Set() }))
  const range = readRange(cpeTail(cpe), match)
  const text = typeof range === 'string' ? range : JSON.stringify(range)
  if (named.seen.has(text)) return
  named.seen.add(text)
  named.ranges.push(range)
}

function readRange(cpe: string, match: CpeMatch): AffectedRange {
  const [ge, gt, le, lt] = [
    match.versionStartIncluding,
    match.versionStartExcluding,
    match.versionEndIncluding,
    match.versionEndExcluding,
  ].map((bound) => bound && unescapeVersion(bound))
  if (!ge && !gt && !le && !lt) return cpe
  return { cpe, ...(ge && { ge }), ...(gt && { gt }), ...(le && { le }), ...(lt && { lt }) }
}
