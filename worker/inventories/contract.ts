import * as z from 'zod'
import { affectedStatuses } from '../domain/versions/affected-status'
import { likenesses } from '../domain/names/look-alikes'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { Flag, IdParams, Success, Tally } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'

export const InventoryName = NameText.min(1)
  .max(100)
  .regex(/^[^/\\]+$/, 'Must not hold a slash')
export const NameParams = z.object({ name: InventoryName })
export const ofInventory = { access: 'member', params: NameParams } as const

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
  ...ofInventory,
  summary: 'Send a bill of materials or a lock file, up to 20 MB, perhaps packed by gzip; sent again, it replaces',
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
  ...ofInventory,
  summary: 'One inventory, with its open findings over time',
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

export const setOwnProduct = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/own',
  ...ofInventory,
  summary:
    'Say whether the organization makes and sells what an inventory lists: exploited vulnerabilities of it start a clock of the Cyber Resilience Act',
  body: z.object({ is_own_product: Flag }),
  reply: Success,
})

export const renameInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/name',
  access: 'manageMetadata',
  summary: 'Call an inventory something else; a document that is sent to the name before makes a new one',
  params: NameParams,
  body: z.object({ name: InventoryName }),
  reply: z.object({ name: z.string() }),
})

export const exposeInventory = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/exposure',
  cost: 10,
  ...ofInventory,
  summary: 'Say whether the public reaches what runs an inventory; null for not known. Due dates follow at once',
  body: z.object({ publicly_exposed: z.boolean('Must be true, false or null').nullable() }),
  reply: Success,
})
