import { z } from 'zod'
import { vulnStates } from '../domain/record'
import { endpoint } from '../http/endpoint'
import { Flag, Id, IdParams } from '../http/fields'
import { pageOf, pageQuery } from '../http/page'

export const VendorRow = z.object({
  id: z.int(),
  name: z.string(),
  monitored: z.boolean(),
  products_count: z.int(),
  vulns_count: z.int(),
  updated_at: z.string(),
})
export type VendorRow = z.output<typeof VendorRow>

const Name = z.string().trim().max(200).optional()
const nameFilters = { search: Name, name: Name, name__icontains: Name }

/** Without an order, what a search means most comes first, and a list goes by names. */
const optionalSort = <const Field extends string>(fields: readonly Field[]) =>
  z.enum(fields.flatMap((field) => [field, `-${field}` as const])).optional()

export const vendorSorts = ['name', 'products_count', 'vulns_count', 'monitored', 'updated_at'] as const
export const VendorQuery = pageQuery(vendorSorts, 'name').extend({
  ...nameFilters,
  monitored: Flag.optional(),
  sorted_by: optionalSort(vendorSorts),
})
export type VendorQuery = z.output<typeof VendorQuery>
export type VendorQueryInput = z.input<typeof VendorQuery>

export const listVendors = endpoint({
  method: 'GET',
  path: '/api/kb/vendors/',
  access: 'member',
  summary: 'Vendors, found by any part of their name',
  query: VendorQuery,
  reply: pageOf(VendorRow),
})

export const getVendor = endpoint({
  method: 'GET',
  path: '/api/kb/vendors/:id/',
  access: 'member',
  summary: 'One vendor',
  params: IdParams,
  reply: VendorRow,
})

export const setVendor = endpoint({
  method: 'PUT',
  path: '/api/kb/vendor/:id/',
  access: 'member',
  summary: 'Monitor a vendor with all its products, or stop',
  params: IdParams,
  body: z.object({ monitored: Flag, organization_id: Id.optional() }),
  reply: z.literal('toggled.'),
})

export const ProductRow = z.object({
  id: z.int(),
  name: z.string(),
  vendor: z.string(),
  vendor_id: z.int(),
  monitored: z.boolean(),
  vulns_count: z.int(),
  updated_at: z.string(),
})
export type ProductRow = z.output<typeof ProductRow>

const productFilters = { ...nameFilters, vendor: Name, vendor_id: Id.optional() }

export const productSorts = ['name', 'vendor', 'vulns_count', 'monitored', 'updated_at'] as const
export const ProductQuery = pageQuery(productSorts, 'vendor').extend({
  ...productFilters,
  monitored: Flag.optional(),
  sorted_by: optionalSort(productSorts),
})
export type ProductQuery = z.output<typeof ProductQuery>
export type ProductQueryInput = z.input<typeof ProductQuery>

export const listProducts = endpoint({
  method: 'GET',
  path: '/api/kb/products/',
  access: 'member',
  summary: 'Products, found by any part of their name or of their vendor',
  query: ProductQuery,
  reply: pageOf(ProductRow),
})

/** A product with the versions that its affected ranges name. */
export const ProductDetail = ProductRow.extend({
  /** In their order; `id` is the place in it. */
  versions: z.array(z.object({ id: z.int(), version: z.string() })),
  versions_count: z.int(),
})
export type ProductDetail = z.output<typeof ProductDetail>

export const getProduct = endpoint({
  method: 'GET',
  path: '/api/kb/detailed-products/:id/',
  access: 'member',
  summary: 'One product, with its known versions',
  params: IdParams,
  reply: ProductDetail,
})

export const TimelineQuery = z.object({
  page: z.coerce.number<number | string>().int().min(1).max(1_000_000).default(1),
  limit: z.coerce
    .number<number | string>()
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, 50))
    .default(10),
})
export type TimelineQuery = z.output<typeof TimelineQuery>

/** A change of a vulnerability, as a line of what happened to a product or a vendor. */
export const TimelineEntry = z.object({
  /** Unique in its timeline. */
  id: z.string(),
  date: z.string(),
  vuln: z.object({ id: z.int(), cveid: z.string().nullable(), summary: z.string(), score: z.int().nullable() }),
  reason: z.string(),
  changes: z.array(z.string()),
  source: z.string(),
})
export type TimelineEntry = z.output<typeof TimelineEntry>

export const productTimeline = endpoint({
  method: 'GET',
  path: '/api/kb/detailed-products/:id/timeline',
  access: 'member',
  summary: 'What changed on the vulnerabilities of a product, newest first',
  params: IdParams,
  query: TimelineQuery,
  reply: pageOf(TimelineEntry),
})

export const vendorTimeline = endpoint({
  method: 'GET',
  path: '/api/kb/vendors/:id/timeline',
  access: 'member',
  summary: 'What changed on the vulnerabilities of a vendor, newest first',
  params: IdParams,
  query: TimelineQuery,
  reply: pageOf(TimelineEntry),
})

export const cpeSorts = ['vendor', 'name'] as const
export const CpeQuery = pageQuery(cpeSorts, 'vendor').extend({ ...productFilters, sorted_by: optionalSort(cpeSorts) })
export type CpeQuery = z.output<typeof CpeQuery>

export const listCpes = endpoint({
  method: 'GET',
  path: '/api/kb/cpe',
  access: 'member',
  summary: 'CPE names of products',
  query: CpeQuery,
  reply: pageOf(
    z.object({ id: z.int(), title: z.string(), vector: z.string(), vendor: z.string(), product: z.string() }),
  ),
})

export const CveRow = z.object({
  id: z.int(),
  cve_id: z.string(),
  summary: z.string(),
  cvss: z.number().nullable(),
  cvss_vector: z.string().nullable(),
  cvss3: z.number().nullable(),
  cvss3_vector: z.string().nullable(),
  modified: z.string().nullable(),
  monitored: z.boolean(),
})
export type CveRow = z.output<typeof CveRow>

export const cveSorts = ['cve_id', 'cvss', 'cvss3', 'modified'] as const
export const CveQuery = pageQuery(cveSorts, '-modified').extend({ search: z.string().trim().max(10_000).optional() })
export type CveQuery = z.output<typeof CveQuery>
export type CveQueryInput = z.input<typeof CveQuery>

export const listCves = endpoint({
  method: 'GET',
  path: '/api/kb/cve',
  access: 'member',
  summary: 'The CVE list',
  query: CveQuery,
  reply: pageOf(CveRow),
})

/** What a CSAF product status comes down to (CSAF 2.0, section 3.2.3.9). */
export const bulletinStatuses = ['affected', 'fixed', 'not_affected', 'under_investigation', 'recommended'] as const

/** What a bulletin says, as its page shows it; long ones are cut, and the counts tell of the rest. */
export const BulletinBody = z.object({
  category: z.string(),
  publisher: z.string(),
  /** draft, interim or final */
  status: z.string(),
  version: z.string(),
  notes: z.array(z.object({ category: z.string(), title: z.string().nullable(), text: z.string() })),
  products: z.array(z.object({ vendor: z.string(), product: z.string(), version: z.string() })),
  products_count: z.int(),
  vulns: z.array(
    z.object({
      cveid: z.string().nullable(),
      title: z.string().nullable(),
      cwe_id: z.string().nullable(),
      cvss: z
        .object({ version: z.union([z.literal(2), z.literal(3), z.literal(4)]), score: z.number(), vector: z.string() })
        .nullable(),
      /** The vendor's own words for how bad it is. */
      impact: z.string().nullable(),
      note: z.string().nullable(),
      /** Products by their place in `products`; `count` is how many there are when some were cut. */
      statuses: z.array(z.object({ status: z.enum(bulletinStatuses), products: z.array(z.int()), count: z.int() })),
      /** Why products are not affected: `vulnerable_code_not_present` and the like. */
      justifications: z.array(z.string()),
    }),
  ),
  vulns_count: z.int(),
  remediations: z.array(
    z.object({
      category: z.string(),
      details: z.string(),
      url: z.string().nullable(),
      /** Empty where it is for all of them. */
      cveids: z.array(z.string()),
      products: z.array(z.int()),
    }),
  ),
  references: z.array(z.object({ summary: z.string(), url: z.string() })),
})
export type BulletinBody = z.output<typeof BulletinBody>

export const BulletinRow = z.object({
  id: z.int(),
  publicid: z.string(),
  vendor: z.string(),
  title: z.string(),
  severity: z.string().nullable(),
  impact: z.string().nullable(),
  published: z.string(),
  monitored: z.boolean(),
})
export type BulletinRow = z.output<typeof BulletinRow>

export const bulletinSorts = ['published', 'vendor', 'id'] as const
export const BulletinQuery = pageQuery(bulletinSorts, '-published').extend({
  search: z.string().trim().max(200).optional(),
  vendor: z.string().trim().max(200).optional(),
  severity: z.string().trim().max(50).optional(),
  monitored: Flag.optional(),
  cveid: z.string().trim().toUpperCase().max(50).optional(),
})
export type BulletinQuery = z.output<typeof BulletinQuery>
export type BulletinQueryInput = z.input<typeof BulletinQuery>

export const listBulletins = endpoint({
  method: 'GET',
  path: '/api/kb/bulletins',
  access: 'member',
  summary: 'Security bulletins of vendors and authorities',
  query: BulletinQuery,
  reply: pageOf(BulletinRow),
})

export const BulletinDetail = BulletinRow.extend({
  source: z.string(),
  link: z.string(),
  modified: z.string(),
  body: BulletinBody,
  /** Its CVEs, and what is known of them here; `id` is null where the vulnerability is not here yet. */
  vulns: z.array(
    z.object({
      cveid: z.string(),
      id: z.int().nullable(),
      score: z.int().nullable(),
      state: z.enum(vulnStates).nullable(),
    }),
  ),
})
export type BulletinDetail = z.output<typeof BulletinDetail>

export const getBulletin = endpoint({
  method: 'GET',
  path: '/api/kb/bulletins/:id',
  access: 'member',
  summary: 'One bulletin',
  params: IdParams,
  reply: BulletinDetail,
})

export const monitorBulletin = endpoint({
  method: 'PUT',
  path: '/api/kb/bulletin/:id/',
  access: 'member',
  summary: 'Monitor a bulletin, or stop',
  params: IdParams,
  body: z.object({ monitored: Flag }),
  reply: z.literal('toggled.'),
})

/** As many as a page shows at most. */
const maxAtOnce = 100
export const monitorBulletins = endpoint({
  method: 'PUT',
  path: '/api/kb/bulletins',
  access: 'member',
  summary: 'Monitor some bulletins, or stop',
  body: z.object({ ids: z.array(Id).min(1).max(maxAtOnce), monitored: Flag }),
  reply: z.literal('toggled.'),
})
