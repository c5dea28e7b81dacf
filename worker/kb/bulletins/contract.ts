import * as z from 'zod'
import { vulnStates } from '../../domain/words/record'
import { endpoint } from '../../http/endpoint'
import { Tally, Flag, Id, IdParams, listSchema } from '../../http/fields'
import { pageSchema, pageQuery } from '../../http/page'

/** Our reading of a CSAF product status (CSAF 2.0, section 3.2.3.9). */
const bulletinStatuses = ['affected', 'fixed', 'not_affected', 'under_investigation', 'recommended'] as const

/** Subject of a statement: products by their place in the list, and how many there are when some were cut. 0 is about all. */
const About = z.object({ products: z.array(z.int()), count: Tally })

/** Long lists are cut; the counts tell the full length. */
export const BulletinBody = z.object({
  category: z.string(),
  publisher: z.string(),
  /** draft, interim or final */
  status: z.string(),
  version: z.string(),
  notes: z.array(z.object({ category: z.string(), title: z.string().nullable(), text: z.string() })),
  products: z.array(z.object({ vendor: z.string(), product: z.string(), version: z.string() })),
  products_count: Tally,
  vulns: z.array(
    z.object({
      cveid: z.string().nullable(),
      title: z.string().nullable(),
      cwe_id: z.string().nullable(),
      cvss: z
        .object({ version: z.union([z.literal(2), z.literal(3), z.literal(4)]), score: z.number(), vector: z.string() })
        .nullable(),
      /** The vendor's own words for how bad it is, where they are the same for all products. */
      impact: z.string().nullable(),
      note: z.string().nullable(),
      statuses: z.array(About.extend({ status: z.enum(bulletinStatuses) })),
      /** Why products are not affected: `vulnerable_code_not_present` and the like. */
      justifications: z.array(About.extend({ label: z.string() })),
      /** Whether it is exploited (`exploit_status`), and its impact where that differs by product. */
      threats: z.array(About.extend({ category: z.string(), details: z.string() })),
    }),
  ),
  vulns_count: Tally,
  remediations: z.array(
    About.extend({
      category: z.string(),
      details: z.string(),
      url: z.string().nullable(),
      /** Part to restart: `vulnerable_component`, `machine` and the like. */
      restart: z.string().nullable(),
      /** Empty: all CVEs. */
      cveids: z.array(z.string()),
    }),
  ),
  remediations_count: Tally,
  references: z.array(z.object({ summary: z.string(), url: z.string() })),
  /** The people that the publisher thanks, and for what. */
  acknowledgments: z.array(z.string()),
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

export const bulletinSorts = ['published', 'vendor', 'publicid', 'title', 'severity', 'id'] as const
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
  path: '/api/kb/bulletins',
  access: 'member',
  summary: 'Security bulletins of vendors and authorities',
  query: BulletinQuery,
  reply: pageSchema(BulletinRow),
})

export const BulletinDetail = BulletinRow.extend({
  source: z.string(),
  link: z.string(),
  modified: z.string(),
  body: BulletinBody,
  /** `id` is null while we have no such vulnerability. */
  vulns: z.array(
    z.object({
      cveid: z.string(),
      id: z.int().nullable(),
      score: z.int().nullable(),
      is_score_provisional: z.boolean(),
      state: z.enum(vulnStates).nullable(),
    }),
  ),
})
export type BulletinDetail = z.output<typeof BulletinDetail>

export const getBulletin = endpoint({
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

/** The largest page. */
const maxAtOnce = 100
export const monitorBulletins = endpoint({
  method: 'PUT',
  path: '/api/kb/bulletins',
  cost: 10,
  access: 'member',
  summary: 'Monitor some bulletins, or stop',
  body: z.object({ ids: listSchema(Id, { min: 1, max: maxAtOnce }), monitored: Flag }),
  reply: z.literal('toggled.'),
})
