import * as z from 'zod'
import { NameText } from '../domain/people/name'
import { packageType } from '../domain/names/purl'
import { GroupLabel, GroupLabels, RunVersions, watchedKinds } from '../domain/names/watch-item'
import { endpoint } from '../http/endpoint'
import { isTooDense } from '../http/json'
import { Tally, Flag, Id, Success } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { EndOfLife, VersionSupport } from '../taxonomy/contract'

const ItemName = NameText.min(1).max(500)
const toggling = {
  method: 'POST',
  alsoMethod: 'PUT',
  access: 'member',
  reply: z.literal('toggled.'),
} as const
const Toggling = z.object({ monitored: Flag, organization_id: Id.optional() })

export const toggleVendor = endpoint({
  ...toggling,
  path: '/api/monitor/vendor/toggle',
  cost: 10,
  summary: 'Monitor a vendor with all its products, or stop',
  body: Toggling.extend({ vendor_id: Id.optional(), vendor_name: ItemName.optional() }).refine(
    (body) => body.vendor_id ?? body.vendor_name,
    {
      path: ['vendor_name'],
      message: 'Required without vendor_id',
    },
  ),
})

export const togglePackage = endpoint({
  ...toggling,
  path: '/api/monitor/package/toggle',
  summary: 'Monitor a package, or stop',
  body: Toggling.extend({
    package_id: Id.optional(),
    package_type: ItemName.transform(packageType).optional(),
    package_name: ItemName.optional(),
  }).refine((body) => body.package_id ?? (body.package_type && body.package_name), {
    path: ['package_id'],
    message: 'Required without package_type and package_name',
  }),
})

export const toggleProduct = endpoint({
  ...toggling,
  path: '/api/monitor/product/toggle',
  summary: 'Monitor a product, or stop',
  body: Toggling.extend({
    product_id: Id.optional(),
    vendor_name: ItemName.optional(),
    product_name: ItemName.optional(),
  }).refine((body) => body.product_id ?? (body.vendor_name && body.product_name), {
    path: ['product_name'],
    message: 'Required with vendor_name, without product_id',
  }),
})

export const exportKinds = ['vendors', 'products', 'packages', 'vulns', 'all'] as const
export type ExportKind = (typeof exportKinds)[number]
export const ListFormat = z.object({ format: z.enum(['csv', 'json']).default('csv') })
export type ListFormat = z.output<typeof ListFormat>

export const exportMonitored = endpoint({
  path: '/api/monitor/export/:kind',
  cost: 10,
  access: 'member',
  summary: 'Monitored items, as a list that the import reads back',
  params: z.object({ kind: z.enum(exportKinds) }),
  query: ListFormat,
  reply: z.unknown(),
  produces: ['text/csv', 'application/json'],
})

/** add: the lines join the list. remove: they leave it. sync: of the kinds that it names, the list becomes what it says. */
const importModes = ['add', 'remove', 'sync'] as const
export type ImportMode = (typeof importModes)[number]

const Fixes = z.array(
  z.object({ line: z.int().min(2), value: z.string().max(500).optional(), skip: z.boolean().optional() }),
)

/** A form carries them as JSON. */
const FixesField = z.preprocess((value) => {
  if (typeof value !== 'string') return value
  if (isTooDense(value)) return null
  try {
    return JSON.parse(value) as unknown
  } catch {
    return null
  }
}, Fixes.max(10_000).default([]))

export const ImportForm = z.object({
  /** CSV in UTF-8, or XLSX. */
  file: z.union([z.instanceof(File), z.string().min(1)], { error: 'A file in CSV or XLSX is required' }),
  mode: z.enum(importModes).default('add'),
  /** Says what would happen, and writes nothing. */
  dry_run: Flag.default(false),
  /** Choices for lines that name nothing known: another value, or to leave them out. */
  fixes: FixesField,
})
export type ImportForm = z.output<typeof ImportForm>

const UnknownLine = z.object({
  line: z.int(),
  type: z.string(),
  value: z.string(),
  reason: z.string(),
  /** It is watched as soon as the knowledge base names it. */
  awaited: z.boolean(),
  nearest: z.array(z.string()),
})
export type UnknownLine = z.output<typeof UnknownLine>

export const ImportReply = z.object({
  status: z.literal('success'),
  dry_run: z.boolean(),
  added: Tally,
  changed: Tally,
  already: Tally,
  removed: Tally,
  awaited: Tally,
  unknown: z.array(UnknownLine),
  /** The first lines that could be read, and what happens to each. */
  lines: z.array(
    z.object({
      line: z.int(),
      type: z.enum(watchedKinds),
      value: z.string(),
      action: z.enum(['add', 'change', 'already', 'remove', 'await', 'absent']),
    }),
  ),
  /** The first lines that name what an earlier line names: that one counts, and these do nothing. */
  repeated: z.array(z.object({ line: z.int(), type: z.enum(watchedKinds), value: z.string(), first: z.int() })),
  /** The first of what `sync` removes because no line names it. */
  unlisted: z.array(z.object({ type: z.enum(watchedKinds), value: z.string() })),
  /** So many items still wait to be matched with their vulnerabilities, or versions to be compared. */
  pending_count: z.int(),
})
export type ImportReply = z.output<typeof ImportReply>

export const importMonitored = endpoint({
  method: 'POST',
  path: '/api/monitor/import',
  max_bytes: 5_000_000,
  cost: 20,
  access: 'member',
  summary: 'Monitor what a list names, at most 10,000 lines; all of it or nothing',
  body: ImportForm,
  reply: ImportReply,
})

export const RemovedList = z.object({
  key: z.string(),
  /** How many lines it has: items, and what products say beside their vendors. */
  count: Tally,
  removed_at: z.string(),
  /** Null for somebody who is gone. */
  removed_by: z.string().nullable(),
  /** When it can no longer be taken back. */
  ends_at: z.string(),
})
export type RemovedList = z.output<typeof RemovedList>

export const listRemovedLists = endpoint({
  path: '/api/monitor/removed',
  access: 'member',
  summary: 'Items that left the watchlist at once in the last 30 days, and can be monitored again',
  reply: z.array(RemovedList),
})

export const restoreRemovedList = endpoint({
  method: 'POST',
  path: '/api/monitor/removed/:key/restore',
  cost: 20,
  access: 'manageMetadata',
  summary: 'Monitor again what left the watchlist at once, with its groups and versions',
  params: z.object({ key: z.uuid('Must be the key of a removed list') }),
  body: z.object({}),
  reply: Success.extend({ added: Tally, changed: Tally, already: Tally, awaited: Tally, pending_count: z.int() }),
})

export const itemKinds = ['vendors', 'products', 'packages', 'vulns'] as const
export type ItemKind = (typeof itemKinds)[number]

export const ItemQuery = pageQuery(['id', 'name'], '-id').extend({
  search: z.string().trim().max(200).optional(),
  group: GroupLabel.optional(),
  end_of_life: EndOfLife.optional(),
})
export type ItemQuery = z.output<typeof ItemQuery>
export type ItemQueryInput = z.input<typeof ItemQuery>

const Maybe = z.string().nullable()
/** With the first 200 letters of its summary. */
const Newest = z.object({ id: z.int(), cveid: Maybe, summary: z.string(), kev_added_at: Maybe, updated_at: z.string() })
export const MonitoredItem = z.object({
  id: z.int(),
  /** Of a vulnerability its CVE id, or PH number. */
  name: z.string(),
  /** The vendor of a product, the type of a package. */
  vendor: Maybe,
  groups: z.array(z.string()),
  versions: z.array(z.string()),
  /** Of each of its versions; null where nobody lists the release. */
  end_of_life: z.array(z.object({ version: z.string(), support: VersionSupport.nullable() })),
  /** Word of the organization on the item itself; null without one, and its groups tell. */
  publicly_exposed: z.boolean().nullable(),
  /** It is still being matched with its vulnerabilities, or its versions are compared and may be affected: ask again. */
  is_comparing: z.boolean(),
  /** The vulnerability among those that concern the organization which changed last. */
  newest: Newest.nullable(),
  /** The highest score that is neither fixed nor without interest; at most so high where it is not exact. */
  worst: z
    .object({ id: z.int().nullable(), score: z.int(), is_exact: z.boolean(), is_score_provisional: z.boolean() })
    .nullable(),
  /** The highest score is still to be counted: ask again. */
  is_pending: z.boolean(),
  /** How many of its vulnerabilities concern the organization, settled ones as well; at least so many where it is not exact. */
  concerning: z.object({ count: Tally, is_exact: z.boolean() }),
  /** How many are exploited and may affect it, and how many of these do or likely do; how many are overdue. */
  open: z.object({ exploited: Tally, affecting: Tally, overdue: Tally, overdue_is_exact: z.boolean() }),
})
export type MonitoredItem = z.output<typeof MonitoredItem>

export const listMonitored = endpoint({
  path: '/api/monitor/items/:kind',
  access: 'member',
  summary: 'Monitored items of one kind',
  params: z.object({ kind: z.enum(itemKinds) }),
  query: ItemQuery,
  reply: pageSchema(MonitoredItem),
})

export const maxItems = 100

export const setItems = endpoint({
  method: 'POST',
  path: '/api/monitor/items',
  cost: 10,
  access: 'member',
  summary: 'Monitor items with groups and versions, or stop; omitted items stay',
  body: z.object({
    kind: z.enum(watchedKinds),
    items: z
      .array(z.object({ id: Id, groups: GroupLabels.optional(), versions: RunVersions.optional() }))
      .min(1)
      .max(maxItems),
    monitored: Flag.default(true),
    organization_id: Id.optional(),
  }),
  /** So many items still wait to be matched with their vulnerabilities, or versions to be compared; the key of the list that brings several removed rows back. */
  reply: Success.extend({ pending_count: z.int(), removed_list: z.string().nullable() }),
})

export const listGroups = endpoint({
  path: '/api/monitor/groups',
  access: 'member',
  summary: 'The groups of what the organization monitors',
  reply: z.array(z.string()),
})
