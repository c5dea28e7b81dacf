import * as z from 'zod'
import { supportStates } from '../domain/versions/end-of-life'
import { endpoint } from '../http/endpoint'
import { pageSchema, pageQuery } from '../http/page'

const TechniqueRef = z.object({ external_id: z.string(), url: z.string(), description: z.string() })
export const WeaknessRefs = z.object({ CAPEC: z.array(z.string()), 'MITRE-ATTACK': z.array(TechniqueRef) })
export type WeaknessRefs = z.output<typeof WeaknessRefs>

export const WeaknessRow = z.object({
  id: z.int(),
  cwe_id: z.string(),
  name: z.string(),
  description: z.string(),
  refs: WeaknessRefs,
})
export type WeaknessRow = z.output<typeof WeaknessRow>

export const WeaknessQuery = pageQuery(['id'], 'id').extend({ search: z.string().trim().max(200).optional() })
export type WeaknessQuery = z.output<typeof WeaknessQuery>

export const listWeaknesses = endpoint({
  path: '/api/kb/cwe',
  access: 'member',
  summary: 'Weaknesses (CWE)',
  query: WeaknessQuery,
  reply: pageSchema(WeaknessRow),
})

export const WeaknessDetail = WeaknessRow.extend({
  abstraction: z.string().nullable(),
  status: z.string().nullable(),
  likelihood: z.string().nullable(),
  related: z.array(z.object({ nature: z.string(), id: z.int(), cwe_id: z.string(), name: z.string().nullable() })),
  patterns: z.array(
    z.object({
      capec_id: z.string(),
      name: z.string(),
      description: z.string(),
      likelihood: z.string().nullable(),
      severity: z.string().nullable(),
      technique_ids: z.array(z.string()),
    }),
  ),
  techniques: z.array(
    z.object({
      external_id: z.string(),
      name: z.string(),
      url: z.string(),
      description: z.string(),
      domains: z.array(z.string()),
    }),
  ),
})
export type WeaknessDetail = z.output<typeof WeaknessDetail>

/** 79 or CWE-79. */
const WeaknessId = z
  .string()
  .regex(/^(CWE-)?[1-9]\d{0,5}$/i, 'Must be a CWE id')
  .transform((id) => Number(id.replace(/^CWE-/i, '')))

export const getWeakness = endpoint({
  path: '/api/kb/cwe/:id',
  access: 'member',
  summary: 'One weakness, with the attack patterns and techniques that use it',
  params: z.object({ id: WeaknessId }),
  reply: WeaknessDetail,
})

/** The day until which it lasts, or since which it is over; null where nobody names one. */
const until = z.string().nullable()
/** A release as it is today. */
const ReleaseSupport = z.object({
  name: z.string(),
  label: z.string(),
  state: z.enum(supportStates),
  until,
  /** The last day of fixes for everybody. */
  fixes_until: z.string().nullable(),
  latest: z.string().nullable(),
})
/** How long the releases of a product or package are supported, as endoflife.date says. */
export const Lifecycle = z.object({
  label: z.string(),
  link: z.string(),
  releases: z.array(ReleaseSupport),
  /** The one release that all versions of this name are of; null where the version tells. */
  pinned: z.string().nullable(),
})
export type Lifecycle = z.output<typeof Lifecycle>

/** The release that a version is of, and where it ends soon, or did, the later one to go to. */
export const VersionSupport = z.object({
  product: Lifecycle.pick({ label: true, link: true }),
  release: ReleaseSupport,
  next: ReleaseSupport.nullable(),
})
export type VersionSupport = z.output<typeof VersionSupport>

/** Filter of lists: a state, `ending` for releases that get no more fixes or not for long, `unknown` if nobody lists the release. */
export const EndOfLife = z.enum([...supportStates, 'ending', 'unknown'])
export type EndOfLife = z.output<typeof EndOfLife>
