import type * as z from 'zod'
import type { NvdCve } from '../../worker/feeds/nvd/record.ts'

type CpeMatch11 = { vulnerable: boolean; cpe23Uri: string } & Partial<Record<(typeof bounds)[number], string>>
type Node11 = { operator: string; children?: Node11[]; cpe_match?: CpeMatch11[] }
type CvssData = { version: string; vectorString: string; baseScore: number }

/** An element of `CVE_Items` in the retired NVD JSON feed 1.1. */
export type NvdItem11 = {
  cve: {
    CVE_data_meta: { ID: string; ASSIGNER: string }
    problemtype: { problemtype_data: { description: { lang: string; value: string }[] }[] }
    references: { reference_data: { url: string; tags?: string[] }[] }
    description: { description_data: { lang: string; value: string }[] }
  }
  configurations: { nodes: Node11[] }
  impact: {
    baseMetricV3?: { cvssV3: CvssData; exploitabilityScore: number; impactScore: number }
    baseMetricV2?: { cvssV2: CvssData; severity: string; exploitabilityScore: number; impactScore: number }
  }
  publishedDate: string
  lastModifiedDate: string
}

const bounds = ['versionStartIncluding', 'versionStartExcluding', 'versionEndIncluding', 'versionEndExcluding'] as const
/** How NVD began the description of a rejected CVE, until and since late 2023. */
const rejected = /^\s*(\*\* REJECT \*\*|Rejected reason:)/
const nvd = { source: 'nvd@nist.gov', type: 'Primary' }

/** A 1.1 item as the API 2.0 would write it, without what 1.1 lacks (vulnStatus, matchCriteriaId). */
export function cveOfItem(item: NvdItem11): { cve: z.input<typeof NvdCve> } {
  const { CVE_data_meta, problemtype, references, description } = item.cve
  const weaknesses = problemtype.problemtype_data.filter((weakness) => weakness.description.length > 0)
  const isRejected = description.description_data.some(({ value }) => rejected.test(value))
  return {
    cve: {
      id: CVE_data_meta.ID,
      sourceIdentifier: CVE_data_meta.ASSIGNER,
      published: timeOfMinute(item.publishedDate),
      lastModified: timeOfMinute(item.lastModifiedDate),
      ...(isRejected && { vulnStatus: 'Rejected' }),
      descriptions: description.description_data,
      metrics: readMetrics(item.impact),
      ...(weaknesses.length > 0 && { weaknesses: weaknesses.map((weakness) => ({ ...nvd, ...weakness })) }),
      ...(item.configurations.nodes.length > 0 && {
        configurations: item.configurations.nodes.map(readConfiguration),
      }),
      references: references.reference_data.map(({ url, tags }) => ({ url, ...(tags?.length && { tags }) })),
    },
  }
}

// "2017-03-17T00:59Z" has neither seconds nor, in 2.0, a zone.
const timeOfMinute = (time: string) => time.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d)Z$/, '$1:00.000')

function readMetrics({ baseMetricV2, baseMetricV3 }: NvdItem11['impact']) {
  const v3 = baseMetricV3 && readMetric(baseMetricV3.cvssV3, baseMetricV3)
  return {
    ...(v3 && (v3.cvssData.version === '3.0' ? { cvssMetricV30: [v3] } : { cvssMetricV31: [v3] })),
    ...(baseMetricV2 && {
      cvssMetricV2: [{ ...readMetric(baseMetricV2.cvssV2, baseMetricV2), baseSeverity: baseMetricV2.severity }],
    }),
  }
}

const readMetric = (cvssData: CvssData, scores: { exploitabilityScore: number; impactScore: number }) => ({
  ...nvd,
  cvssData,
  exploitabilityScore: scores.exploitabilityScore,
  impactScore: scores.impactScore,
})

function readConfiguration(node: Node11) {
  const { operator, children = [] } = node
  return children.length > 0 ? { operator, nodes: children.flatMap(listLeaves).map(toNode) } : { nodes: [toNode(node)] }
}

// A node has children or matches; 2.0 nests no deeper than a configuration's nodes.
const listLeaves = (node: Node11): Node11[] => (node.children?.length ? node.children.flatMap(listLeaves) : [node])

const toNode = ({ operator, cpe_match = [] }: Node11) => ({
  operator,
  negate: false,
  cpeMatch: cpe_match.map((match) => ({
    vulnerable: match.vulnerable,
    criteria: match.cpe23Uri,
    ...Object.fromEntries(bounds.flatMap((name) => (match[name] === undefined ? [] : [[name, match[name]]]))),
  })),
})
