import * as z from 'zod'
import { fieldMask } from '../domain/words/names'
import { vulnStatuses } from '../domain/decisions/status'
import { vexJustifications, vexStatuses } from '../domain/decisions/vex'
import { affectedStatuses, confidences } from '../domain/versions/affected-status'
import { runVerdicts } from '../domain/versions/verdict'
import { endpoint } from '../http/endpoint'
import { Flag, Id, Tally } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { EndOfLife, VersionSupport } from '../taxonomy/contract'
import { InventoryName, ofInventory } from './contract'

/** Statements of a hub are found on request; no document may speak in its name. */
export const hubPrefix = 'VEX Hub:'

const Search = z.string().trim().max(200).optional()

const componentSorts = ['name', 'risk', 'findings', 'scope'] as const
export const ComponentRow = z.object({
  id: z.int(),
  name: z.string(),
  version: z.string().nullable(),
  purl: z.string().nullable(),
  cpe: z.string().nullable(),
  scope: z.enum(['required', 'optional', 'excluded']),
  licence: z.string().nullable(),
  path: z.array(z.string()),
  is_matched: z.boolean(),
  /** Of what is open; `none` is said only of what was compared. */
  verdict: z.enum(['affected', 'unknown', 'none', 'not_compared', 'pending']),
  /** Still to be compared. */
  is_pending: z.boolean(),
  /** How many vulnerabilities were compared with its version, and how many could not be as it has none. */
  judged_count: Tally,
  unjudged_count: Tally,
  open: z.int(),
  unknown: Tally,
  /** Of its open findings. */
  worst_score: z.int().nullable(),
  is_worst_provisional: z.boolean(),
  kev: z.boolean(),
  /** Null where nobody lists its release. */
  support: VersionSupport.nullable(),
})
export type ComponentRow = z.output<typeof ComponentRow>

export const ComponentQuery = pageQuery(componentSorts, '-risk').extend({
  search: Search,
  matched: Flag.optional(),
  /** Those that could not be compared: not matched, without a version, or still waiting. */
  compared: Flag.optional(),
  affected: Flag.optional(),
  end_of_life: EndOfLife.optional(),
})
export type ComponentQuery = z.output<typeof ComponentQuery>
export type ComponentQueryInput = z.input<typeof ComponentQuery>

export const listComponents = endpoint({
  path: '/api/inventories/:name/components',
  ...ofInventory,
  summary: 'The components of an inventory with their worst finding',
  query: ComponentQuery,
  reply: pageSchema(ComponentRow),
})

export const FindingDecision = z.object({
  /** Empty for the organization itself. */
  author: z.string(),
  status: z.enum(vexStatuses),
  justification: z.enum(vexJustifications).nullable(),
  note: z.string().nullable(),
  /** The version that it is to be upgraded to. */
  fix: z.string().nullable(),
  owner: z.string().nullable(),
  /** The last day on which it counts. */
  expires_at: z.string().nullable(),
  decided_at: z.string(),
  by: z.string().nullable(),
  /** When somebody of the organization laid a proposal aside, and who; it comes back when the supplier says otherwise. */
  dismissed_at: z.string().nullable(),
  dismissed_by: z.string().nullable(),
})
export type FindingDecision = z.output<typeof FindingDecision>

const findingSorts = ['risk', 'score', 'epss', 'component', 'cveid', 'newest', 'due'] as const
export const FindingRow = z.object({
  vuln_id: z.int(),
  cveid: z.string().nullable(),
  summary: z.string(),
  component_id: z.int(),
  component: z.string(),
  version: z.string().nullable(),
  purl: z.string().nullable(),
  path: z.array(z.string()),
  scope: z.enum(['required', 'optional', 'excluded']),
  status: z.enum(affectedStatuses),
  confidence: z.enum(confidences),
  /** Author of the decisive statement, and the range that holds the version, in words. */
  source: z.string().nullable(),
  range: z.string().nullable(),
  fixed_in: z.string().nullable(),
  first_unlisted: z.string().nullable(),
  is_disputed: z.boolean(),
  score: z.int().nullable(),
  is_score_provisional: z.boolean(),
  cvss3: z.number().nullable(),
  epss: z.number().nullable(),
  kev: z.boolean(),
  /** Exploitation, automatable and technical impact of CISA's SSVC, by their first letters. */
  ssvc: z.string().nullable(),
  /** The day by the policy of the organization and the exposure of the inventory; null where nothing is due. */
  due: z.string().nullable(),
  found_at: z.string(),
  /** Of the organization's work on the vulnerability, wherever that is. */
  vuln_status: z.enum(vulnStatuses),
  /** Decision of the organization; null while it is open without a word. */
  decision: FindingDecision.nullable(),
  /**
   * The status of the vulnerability says that the organization is done with it, though the document still has a version that is or
   * may be affected. A justification says that it affects the organization nowhere; VEX says so where nothing is decided.
   */
  stated: z
    .object({
      status: z.enum(['fixed', 'not_interesting']),
      justification: z.enum(vexJustifications).nullable(),
      note: z.string().nullable(),
    })
    .nullable(),
  /** Statements of suppliers on it. */
  proposals: z.array(FindingDecision),
})
export type FindingRow = z.output<typeof FindingRow>

export const FindingQuery = pageQuery(findingSorts, '-risk').extend({
  search: Search,
  /** Without it whatever is open; `closed` is what was decided to be not affected or mended. */
  status: z.enum(['affected', 'unknown', 'closed', 'all']).optional(),
  kev: Flag.optional(),
  /** Only what is overdue, or only the rest. */
  overdue: Flag.optional(),
  /** Only what some version is said to mend (a fix, or the first version that is not listed), or only the rest. */
  fix: Flag.optional(),
  component: Id.optional(),
  vuln: Id.optional(),
})

export type FindingQuery = z.output<typeof FindingQuery>
export type FindingQueryInput = z.input<typeof FindingQuery>

export const listFindings = endpoint({
  path: '/api/inventories/:name/findings',
  ...ofInventory,
  summary: 'Findings of an inventory, the most urgent first',
  query: FindingQuery,
  reply: pageSchema(FindingRow),
})

const sorts = ['risk', 'score', 'epss', 'components', 'cveid', 'newest', 'due'] as const
const { search, status, kev, overdue, fix } = FindingQuery.shape

export const FoundVulnQuery = pageQuery(sorts, '-risk').extend({ search, status, kev, overdue, fix })
export type FoundVulnQuery = z.output<typeof FoundVulnQuery>
export type FoundVulnQueryInput = z.input<typeof FoundVulnQuery>

export const FoundVuln = FindingRow.pick(
  fieldMask('vuln_id cveid summary score is_score_provisional cvss3 epss kev ssvc due vuln_status'),
).extend({
  /** The worst of its components. */
  verdict: z.enum(runVerdicts),
  /** When the first of them was found. */
  found_at: z.string(),
  components_count: Tally,
  /** The first of them, the worst verdict first. */
  components: z.array(
    FindingRow.pick({ component_id: true, component: true, version: true, fixed_in: true }).extend({
      verdict: z.enum(runVerdicts),
      decision: z.enum(vexStatuses).nullable(),
    }),
  ),
})
export type FoundVuln = z.output<typeof FoundVuln>

export const listFoundVulns = endpoint({
  path: '/api/inventories/:name/vulns',
  ...ofInventory,
  summary: 'Findings of an inventory by vulnerability: each once, with its components and their worst verdict',
  query: FoundVulnQuery,
  reply: pageSchema(FoundVuln),
})

export const exportFindings = endpoint({
  path: '/api/inventories/:name/export/:format',
  cost: 10,
  access: 'member',
  summary: 'All findings of an inventory as a file, a row for each finding or for each vulnerability',
  params: z.object({ name: InventoryName, format: z.enum(['csv', 'json']) }),
  query: z.object({ by: z.enum(['finding', 'vulnerability']).default('finding') }),
  produces: 'text/csv',
  reply: z.unknown(),
})
