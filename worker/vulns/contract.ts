import { z } from 'zod'
import { vulnStates } from '../domain/record'
import { endpoint } from '../http/endpoint'
import { Flag, Id, IdParams, When } from '../http/fields'
import { pageOf, pageQuery } from '../http/page'

export const vulnSorts = ['id', 'cveid', 'cvss', 'cvss3', 'score', 'epss', 'published', 'updated_at'] as const

export const VulnQuery = pageQuery(vulnSorts, '-updated_at').extend({
  search: z.string().trim().max(10_000).optional(),
  monitored: Flag.optional(),
  kev: Flag.optional(),
  is_exploitable: Flag.optional(),
  score__gte: z.coerce.number<number | string>().optional(),
  score__lte: z.coerce.number<number | string>().optional(),
  updated_at__gte: When.optional(),
  vendor: Id.optional(),
  product: Id.optional(),
})
export type VulnQuery = z.output<typeof VulnQuery>
export type VulnQueryInput = z.input<typeof VulnQuery>

export const ProductChip = z.object({ id: z.int(), vendor: z.string(), name: z.string() })

export const Access = z.object({
  authentication: z.enum(['NONE', 'SINGLE', 'MULTIPLE']).nullable(),
  complexity: z.enum(['LOW', 'MEDIUM', 'HIGH']).nullable(),
  vector: z.enum(['LOCAL', 'ADJACENT_NETWORK', 'NETWORK']).nullable(),
})
const ImpactLevel = z.enum(['NONE', 'PARTIAL', 'COMPLETE']).nullable()
export const Impact = z.object({ confidentiality: ImpactLevel, integrity: ImpactLevel, availability: ImpactLevel })
const Kev = z.object({ added: z.string(), due: z.string().nullable(), ransomware: z.boolean() }).nullable()

export const VulnRow = z.object({
  id: z.int(),
  uuid: z.string(),
  cveid: z.string().nullable(),
  state: z.enum(vulnStates),
  summary: z.string(),
  published: z.string().nullable(),
  modified: z.string().nullable(),
  assigner: z.string().nullable(),
  cvss: z.number().nullable(),
  cvss_vector: z.string().nullable(),
  cvss3: z.number().nullable(),
  cvss3_vector: z.string().nullable(),
  cvss4: z.number().nullable(),
  cvss4_vector: z.string().nullable(),
  cwe_id: z.string().nullable(),
  access: Access,
  impact: Impact,
  is_exploitable: z.boolean(),
  is_confirmed: z.boolean(),
  is_in_the_news: z.boolean(),
  is_in_the_wild: z.boolean(),
  exploit_count: z.int(),
  threat_activity_count: z.int(),
  cpe_count: z.int(),
  product_count: z.int(),
  package_count: z.int(),
  score: z.int().nullable(),
  epss: z.number().nullable(),
  epss_percentile: z.number().nullable(),
  kev: Kev,
  /** The first few; `product_count` tells how many there are. */
  products: z.array(ProductChip),
  monitored: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type VulnRow = z.output<typeof VulnRow>

export const listVulns = endpoint({
  method: 'GET',
  path: '/api/vulns/',
  access: 'member',
  summary: 'Vulnerabilities, filtered, sorted and paged',
  query: VulnQuery,
  reply: pageOf(VulnRow),
})

/** A product, and what each source says of its versions. */
export const AffectedRow = z.object({
  product_id: z.int(),
  vendor: z.string(),
  product: z.string(),
  source: z.string(),
  monitored: z.boolean(),
  /** In words: "1.0.1f", ">= 1.0.1, < 1.0.1g", "all versions". */
  versions: z.array(z.string()),
  /** How many there are when `versions` is cut. */
  versions_count: z.int(),
  /** The versions that fix it. */
  fixed: z.array(z.string()),
})

/** A package, and what a source says of its versions. */
export const AffectedPackageRow = z.object({
  package_id: z.int(),
  type: z.string(),
  name: z.string(),
  purl: z.string(),
  source: z.string(),
  monitored: z.boolean(),
  versions: z.array(z.string()),
  versions_count: z.int(),
  fixed: z.array(z.string()),
})

export const VulnDetail = VulnRow.extend({
  cvss_source: z.string().nullable(),
  cvss3_source: z.string().nullable(),
  cvss4_source: z.string().nullable(),
  cwe_ids: z.array(z.string()),
  reflinks: z.array(z.string()),
  references: z.array(z.object({ url: z.string(), tags: z.array(z.string()) })),
  vulnerable_products: z.array(z.string()),
  vulnerable_product_versions: z.record(z.string(), z.record(z.string(), z.array(z.string()))),
  affected: z.array(AffectedRow),
  affected_packages: z.array(AffectedPackageRow),
  /** By type and name of a package, as older clients read it. */
  vulnerable_packages_versions: z.record(
    z.string(),
    z.record(
      z.string(),
      z.array(z.object({ affected_versions: z.array(z.string()), patched_versions: z.array(z.string()) })),
    ),
  ),
  aliases: z.array(z.string()),
  ssvc: z
    .object({
      exploitation: z.enum(['none', 'poc', 'active']).nullable(),
      automatable: z.boolean().nullable(),
      technical_impact: z.enum(['partial', 'total']).nullable(),
    })
    .nullable(),
  /** Which source each field was taken from. */
  provenance: z.record(z.string(), z.string()),
  /** Which items of the organization's watchlist it concerns; `vendor` is that of a product. */
  monitored_by: z.array(
    z.object({
      via: z.enum(['vuln', 'product', 'package', 'vendor']),
      id: z.int(),
      name: z.string(),
      vendor: z.string().nullable(),
    }),
  ),
  rating_vector: z.string().nullable(),
  sources: z.array(z.object({ source: z.string(), modified: z.string().nullable() })),
})
export type VulnDetail = z.output<typeof VulnDetail>

export const getVuln = endpoint({
  method: 'GET',
  path: '/api/vulns/:id/',
  access: 'member',
  summary: 'One vulnerability',
  params: IdParams,
  reply: VulnDetail,
})

export const vulnHistory = endpoint({
  method: 'GET',
  path: '/api/vulns/:id/history',
  access: 'member',
  summary: 'What changed on a vulnerability, newest first',
  params: IdParams,
  reply: z.array(
    z.object({
      date: z.string(),
      reason: z.string(),
      changes: z.array(z.string()),
      scope: z.enum(['vuln', 'exploit', 'threat']),
      source: z.string(),
    }),
  ),
})

export const vulnStats = endpoint({
  method: 'GET',
  path: '/api/vulns/stats',
  access: 'member',
  summary: 'The numbers of the home screen',
  reply: z.object({
    vulns: z.int(),
    vulns_exploitable: z.int(),
    vulns_remote: z.int(),
    exploits: z.int(),
    threats: z.int(),
    monitored: z.int(),
    monitored_vendors: z.int(),
    monitored_products: z.int(),
    monitored_packages: z.int(),
    monitored_vulns: z.int(),
  }),
})

export const latestVulns = endpoint({
  method: 'GET',
  path: '/api/vulns/latest',
  access: 'member',
  summary: 'The newest vulnerabilities, and the newest monitored ones of the last days',
  query: z.object({ timedelta: z.coerce.number<number | string>().int().min(1).max(365).default(30) }),
  reply: z.object({ vulns: z.array(VulnRow), monitored_vulns: z.array(VulnRow) }),
})

export const toggleVuln = endpoint({
  method: 'PUT',
  path: '/api/vulns/:id/toggle',
  access: 'member',
  summary: 'Monitor a vulnerability, or stop',
  params: IdParams,
  body: z.object({ monitored: Flag, organization_id: Id.optional(), vuln_id: Id.optional() }),
  reply: z.literal('toggled.'),
})
