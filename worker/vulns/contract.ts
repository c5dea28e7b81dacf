import * as z from 'zod'
import {
  choiceParams,
  dateLookups,
  dateParams,
  flagParams,
  idParams,
  keyParams,
  numberParams,
  orderLookups,
  textLookups,
  textParams,
} from '../domain/query/params'
import { maxValue } from '../domain/query/values'
import { scopes } from '../domain/words/exploit'
import { flags } from '../domain/scores/flags'
import { runVerdicts } from '../domain/versions/verdict'
import { vulnStates } from '../domain/words/record'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, Id, IdParams, When } from '../http/fields'
import { pageSchema, pageQuery } from '../http/page'

export const OtherVulnRef = z.object({ id: z.int(), cveid: z.string().nullable() })

export const vulnSorts = [
  'id',
  'cveid',
  'cvss',
  'cvss3',
  'score',
  'epss',
  'exploit_count',
  'published',
  'updated_at',
  'summary',
  'monitored',
  'is_exploitable',
  'is_confirmed',
  'is_in_the_news',
  'is_in_the_wild',
] as const
export type VulnSort = (typeof vulnSorts)[number]

/** Each name with each lookup: `score`, `score__gte`. */
function each<N extends string, L extends string, S extends z.ZodType>(
  names: readonly N[],
  lookups: readonly L[],
  schema: S,
) {
  const shape = Object.fromEntries(names.flatMap((name) => lookups.map((lookup) => [name + lookup, schema.optional()])))
  // The type of Object.fromEntries does not keep the keys.
  return shape as Record<`${N}${L}`, z.ZodOptional<S>>
}

const Word = z.string().trim().max(maxValue)

/** The filters of the API, and a query (domain/query). */
export const VulnFilters = z.object({
  /** A CVE id, PH id or another id, a CPE name, a purl, or words. */
  search: z.string().trim().max(10_000).optional(),
  q: z.string().trim().max(10_000).optional(),
  ...each(textParams, textLookups, Word),
  ...each(numberParams, orderLookups, z.coerce.number<number | string>()),
  ...each(dateParams, dateLookups, When),
  ...each(flagParams, [''], Flag),
  ...each(keyParams, [''], Id),
  ...each(choiceParams, [''], Word),
  ...each(idParams, [''], Word),
  /** With a product, by id or name: the version that must be affected. */
  product_version: Word.optional(),
  /** Window of the product's vulnerabilities, newest first, to judge by that version. */
  version_window: z.coerce.number<number | string>().int().min(1).max(10_000).optional(),
})
export type VulnFilters = z.output<typeof VulnFilters>

/** How many of a product's newest vulnerabilities one request judges by version, a few rows each. */
export const versionWindow = 150

const After = z.coerce.number<number | string>().int().min(0).max(10_000_000)

/** `relevance` needs words; without them the newest come first. `risk` is the worst for the organization first, with `-` as well; `due` what is due first. */
export const VulnQuery = pageQuery([...vulnSorts, 'relevance', 'risk', 'due'], '-updated_at')
  .extend(VulnFilters.shape)
  .extend({
    /** Only these fields of a row, with commas between. */
    fields: z.string().max(1_000).optional(),
    /** Continues a list whose reading stopped: after this many of its rows, as `next` says. */
    after: After.optional(),
    /** Answers the page without counting further; /api/vulns/count has the count. */
    count: z.enum(['quick']).optional(),
    /** Each row with its `composite`. */
    composite: Flag.optional(),
  })
export type VulnQuery = z.output<typeof VulnQuery>
export type VulnQueryInput = z.input<typeof VulnQuery>

const ProductChip = z.object({ id: z.int(), vendor: z.string(), name: z.string() })

const AccessMetrics = z.object({
  authentication: z.enum(['NONE', 'SINGLE', 'MULTIPLE']).nullable(),
  complexity: z.enum(['LOW', 'MEDIUM', 'HIGH']).nullable(),
  vector: z.enum(['LOCAL', 'ADJACENT_NETWORK', 'NETWORK']).nullable(),
})
const ImpactLevel = z.enum(['NONE', 'PARTIAL', 'COMPLETE']).nullable()
const ImpactMetrics = z.object({
  confidentiality: ImpactLevel,
  integrity: ImpactLevel,
  availability: ImpactLevel,
})
const Kev = z.object({ added: z.string(), due: z.string().nullable(), ransomware: z.boolean() }).nullable()

export const VulnRow = z.object({
  id: z.int(),
  uuid: z.string(),
  cveid: z.string().nullable(),
  /** The id that people use: of the CVE, else of the advisory, else ours. */
  known_as: z.string(),
  /** Private: made by the organization for itself. */
  scope: z.enum(scopes),
  state: z.enum(vulnStates),
  /** One line, where a source gives one: "Citrix NetScaler ADC and NetScaler Gateway Buffer Overflow Vulnerability". */
  title: z.string().nullable(),
  summary: z.string(),
  /** A time (`2024-03-29T16:51:12Z`), or a date (`2014-04-07`) where the source gave no time: that is one day in every zone. */
  published: z.string().nullable(),
  modified: z.string().nullable(),
  assigner: z.string().nullable(),
  /** Vectors and weakness are empty texts while unknown: older clients stop at null. */
  cvss: z.number().nullable(),
  cvss_vector: z.string(),
  cvss3: z.number().nullable(),
  cvss3_vector: z.string(),
  cvss4: z.number().nullable(),
  cvss4_vector: z.string(),
  cwe_id: z.string(),
  access: AccessMetrics,
  impact: ImpactMetrics,
  is_exploitable: z.boolean(),
  is_confirmed: z.boolean(),
  is_in_the_news: z.boolean(),
  is_in_the_wild: z.boolean(),
  /** It is about a package that is itself an attack. */
  is_malicious: z.boolean(),
  /** The flags above that are false because nobody knows; a source denies the other false ones. */
  unknown_flags: z.array(z.enum(flags)),
  exploit_count: Tally,
  threat_activity_count: Tally,
  cpe_count: Tally,
  product_count: Tally,
  package_count: Tally,
  score: z.int().nullable(),
  /** The score stands in for a rating until somebody gives a CVSS vector: by KEV, ransomware, exploits and EPSS. */
  is_score_provisional: z.boolean(),
  epss: z.number().nullable(),
  epss_percentile: z.number().nullable(),
  /** The greatest of EPSS, KEV as 1, and LEV (NIST CSWP 41); only where it is asked for. */
  composite: z.number().nullable().optional(),
  kev: Kev,
  /** The day until when it should be fixed, by the policy of the organization; null where nothing is due. */
  due: z.string().nullable(),
  /** The first few; `product_count` tells how many there are. */
  products: z.array(ProductChip),
  monitored: z.boolean(),
  /** The worst verdict on the versions that the organization runs; null if it named no version of anything affected. */
  run_verdict: z.enum(runVerdicts).nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type VulnRow = z.output<typeof VulnRow>

/** `looked_at`: the reading stopped after this many rows, and `next` continues; null when it found all. */
const VulnResults = pageSchema(VulnRow).extend({
  looked_at: z.int().nullable(),
  /** How many vulnerabilities could not be judged by `product_version`; null without that filter. */
  unjudged: z.int().nullable(),
})

export const listVulns = endpoint({
  path: '/api/vulns/',
  access: 'member',
  summary: 'Vulnerabilities, filtered, sorted and paged',
  query: VulnQuery,
  reply: VulnResults,
})

const CountQuery = VulnFilters.extend({ after: After.default(0) })
export type CountQuery = z.output<typeof CountQuery>

export const vulnCount = endpoint({
  path: '/api/vulns/count',
  access: 'member',
  summary:
    'How many vulnerabilities fit, counted to 10,000: as `after`, `next` counts on, and both counts are to be added',
  query: CountQuery,
  reply: z.object({ count: Tally, count_is_exact: z.boolean(), next: z.int().nullable() }),
})

const exportFormats = ['csv', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const exportVulns = endpoint({
  path: '/api/vulns/export/:format',
  cost: 20,
  access: 'member',
  summary: 'The filtered list as a file, at most 10,000 rows',
  params: z.object({ format: z.enum(exportFormats) }),
  produces: ['text/csv', 'application/json'],
  query: VulnQuery,
  reply: z.unknown(),
})

/** The largest selection that one call monitors or stops monitoring. */
const maxSelected = 100

export const toggleVulns = endpoint({
  method: 'POST',
  path: '/api/vulns/toggle/bulk',
  cost: 10,
  access: 'member',
  summary: 'Monitor several vulnerabilities, or stop',
  body: z.object({
    ids: z.array(Id).min(1).max(maxSelected),
    monitored: Flag,
    organization_id: Id.optional(),
  }),
  reply: z.object({ monitored: z.boolean(), set: z.array(z.int()) }),
})

export const toggleVuln = endpoint({
  method: 'PUT',
  alsoMethod: 'POST',
  path: '/api/vulns/:id/toggle',
  access: 'member',
  summary: 'Monitor a vulnerability, or stop',
  params: IdParams,
  body: z.object({ monitored: Flag, organization_id: Id.optional(), vuln_id: Id.optional() }),
  reply: z.literal('toggled.'),
})
