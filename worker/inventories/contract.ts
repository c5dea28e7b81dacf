import * as z from 'zod'
import { affectedStatuses, confidences } from '../domain/versions/affected-status'
import { vulnStatuses } from '../domain/decisions/status'
import { vexJustifications } from '../domain/decisions/vex'
import { likenesses } from '../domain/names/look-alikes'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, Id, IdParams, Success } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { EndOfLife, VersionSupport } from '../taxonomy/contract'
import { FindingDecision } from './decision-contract'
import { InventoryName, NameParams } from './name'

/** So many changes are listed; the counts are of all. */
export const maxListed = 100

const Counts = z.object({ critical: z.int(), high: z.int(), medium: z.int(), low: z.int(), unscored: z.int() })

export const Inventory = z.object({
  id: z.int(),
  name: z.string(),
  format: z.string(),
  /** Subject of the document, as it names it. */
  subject: z.string().nullable(),
  components_count: Tally,
  /** Components that no name of the knowledge base could be found for: nothing is known of them. */
  unmatched_count: Tally,
  /** Components whose name is known, but whose version is not: nothing could be compared. */
  uncompared_count: Tally,
  /** Components that are still to be compared: the verdicts on others are no answer about these. */
  pending_count: Tally,
  /** Whether the public reaches what runs it; null where nobody said. */
  publicly_exposed: z.boolean().nullable(),
  /** The organization makes and sells it, so that the Cyber Resilience Act may ask it to report. */
  is_own_product: z.boolean(),
  /** Findings that are open, by the band of their score; possibly affected ones stand in `unknown`. */
  open: Counts,
  unknown: Tally,
  kev: z.int(),
  /** Exploited ones that may be affected, beside those. */
  kev_unknown: Tally,
  /** Decided to be not affected, or mended. */
  closed: Tally,
  created_at: z.string(),
  updated_at: z.string(),
})
export type Inventory = z.output<typeof Inventory>

const ListedFinding = z.object({
  vuln_id: z.int(),
  cveid: z.string().nullable(),
  component: z.string(),
  version: z.string().nullable(),
  status: z.enum(affectedStatuses),
  fixed_in: z.string().nullable(),
})
const ListedComponent = z.object({ name: z.string(), version: z.string().nullable() })
const cutList = <Row extends z.ZodType>(row: Row) => z.object({ count: Tally, first: z.array(row) })

export const putInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name',
  cost: 10,
  access: 'member',
  summary: 'Send a bill of materials or a lock file, up to 20 MB, perhaps packed by gzip; sent again, it replaces',
  params: NameParams,
  file: true,
  reply: z.object({
    inventory: Inventory,
    is_new: z.boolean(),
    components: z.object({
      added: cutList(ListedComponent),
      removed: cutList(ListedComponent),
      /** Without a purl or CPE name that the knowledge base knows. */
      unmatched: cutList(ListedComponent),
      /** New ones whose name imitates one that is monitored. */
      look_alikes: cutList(ListedComponent.extend({ of: z.string(), likeness: z.enum(likenesses) })),
    }),
    findings: z.object({ new: cutList(ListedFinding), gone: cutList(ListedFinding) }),
  }),
})
export type PutAnswer = z.output<typeof putInventory.reply>

export const InventoryQuery = pageQuery(['name', 'updated_at', 'components_count'], 'name').extend({
  search: z.string().trim().max(200).optional(),
})
export type InventoryQuery = z.output<typeof InventoryQuery>
export type InventoryQueryInput = z.input<typeof InventoryQuery>

export const listInventories = endpoint({
  path: '/api/inventories/',
  access: 'member',
  summary: 'Inventories of the organization, with their open findings',
  query: InventoryQuery,
  reply: pageSchema(Inventory),
})

export const getInventory = endpoint({
  path: '/api/inventories/:name',
  access: 'member',
  summary: 'One inventory, with its open findings over time',
  params: NameParams,
  reply: Inventory.extend({ days: z.array(Counts.extend({ day: z.string() })) }),
})
export type InventoryDetail = z.output<typeof getInventory.reply>

export const removeInventory = endpoint({
  method: 'DELETE',
  path: '/api/inventories/:name',
  access: 'manageMetadata',
  summary: 'Remove an inventory; for 30 days it can be restored',
  params: NameParams,
  reply: Success,
})

export const RemovedInventory = Inventory.pick({ id: true, name: true, format: true, components_count: true }).extend({
  removed_at: z.string(),
  /** Null for somebody who is gone. */
  removed_by: z.string().nullable(),
  /** When it is removed for good. */
  ends_at: z.string(),
})
export type RemovedInventory = z.output<typeof RemovedInventory>

export const listRemovedInventories = endpoint({
  path: '/api/removed-inventories/',
  access: 'member',
  summary: 'The inventories that were removed and can be restored',
  reply: z.array(RemovedInventory),
})

export const restoreInventory = endpoint({
  method: 'POST',
  path: '/api/removed-inventories/:id/restore',
  cost: 10,
  access: 'manageMetadata',
  summary: 'Restore a removed inventory with its decisions, perhaps under another name',
  params: IdParams,
  body: z.object({ name: InventoryName.optional() }),
  reply: Inventory,
})

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
  access: 'member',
  summary: 'The components of an inventory with their worst finding',
  params: NameParams,
  query: ComponentQuery,
  reply: pageSchema(ComponentRow),
})

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
  access: 'member',
  summary: 'Findings of an inventory, the most urgent first',
  params: NameParams,
  query: FindingQuery,
  reply: pageSchema(FindingRow),
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

export const vexFormats = ['cyclonedx', 'openvex', 'csaf'] as const
export const exportVex = endpoint({
  path: '/api/inventories/:name/vex/:format',
  cost: 10,
  access: 'member',
  summary: 'Statements on an inventory as CycloneDX VEX, OpenVEX or CSAF 2.0 VEX',
  params: z.object({ name: InventoryName, format: z.enum(vexFormats) }),
  reply: z.unknown(),
})
