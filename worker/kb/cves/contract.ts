import * as z from 'zod'
import { endpoint } from '../../http/endpoint'
import { pageSchema, pageQuery } from '../../http/page'

export const CveRow = z.object({
  id: z.int(),
  cve_id: z.string(),
  summary: z.string(),
  cvss: z.number().nullable(),
  cvss_vector: z.string(),
  cvss3: z.number().nullable(),
  cvss3_vector: z.string(),
  modified: z.string().nullable(),
  monitored: z.boolean(),
})
export type CveRow = z.output<typeof CveRow>

export const cveSorts = ['cve_id', 'summary', 'cvss', 'cvss3', 'modified'] as const
const Words = z.string().trim().max(10_000).optional()
export const CveQuery = pageQuery(cveSorts, '-modified').extend({
  search: Words,
  cve_id: z.string().trim().toUpperCase().max(100).optional(),
  /** The last word may be only a beginning. */
  summary__icontains: Words,
})
export type CveQuery = z.output<typeof CveQuery>
export type CveQueryInput = z.input<typeof CveQuery>

export const listCves = endpoint({
  path: '/api/kb/cve',
  access: 'member',
  summary: 'The CVE list',
  query: CveQuery,
  reply: pageSchema(CveRow),
})

export const getCve = endpoint({
  path: '/api/kb/cve/:id/',
  access: 'member',
  summary: 'One CVE, by its CVE id or our number',
  params: z.object({ id: z.string().trim().toUpperCase().max(100) }),
  reply: CveRow,
})
