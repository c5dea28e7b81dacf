import * as z from 'zod'
import { packageType } from '../domain/names/purl'
import { GroupLabel, GroupLabels, RunVersions, watchedKinds } from '../domain/names/watch-item'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
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

const PubliclyExposed = z.boolean('Must be true, false or null').nullable()

export const setExposed = endpoint({
  method: 'PUT',
  path: '/api/monitor/exposure',
  cost: 20,
  access: 'member',
  summary: 'Say whether the public reaches items or what has a label; null for not known. Due dates follow at once',
  body: z.discriminatedUnion('kind', [
    z.object({
      kind: z.enum(watchedKinds),
      ids: z.array(Id).min(1).max(maxItems),
      publicly_exposed: PubliclyExposed,
    }),
    z.object({ kind: z.literal('group'), label: GroupLabel, publicly_exposed: PubliclyExposed }),
  ]),
  reply: Success,
})

export const listExposedGroups = endpoint({
  path: '/api/monitor/exposure',
  access: 'member',
  summary: 'The groups of which the organization said whether the public reaches them',
  reply: z.array(z.object({ label: z.string(), publicly_exposed: z.boolean() })),
})
