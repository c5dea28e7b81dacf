import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Flag, Id } from '../http/fields'

/** A product here, and the one release that all its versions are of, if any. */
const NamedProduct = z.object({
  product_id: z.int(),
  vendor: z.string(),
  name: z.string(),
  release: z.string().nullable(),
})

/** A product of endoflife.date that names no identifier: people say what it is here. */
export const SupportName = z.object({
  id: z.string(),
  label: z.string(),
  link: z.string(),
  confirmed: z.array(NamedProduct.extend({ confirmed_by: z.string() })),
  /** By name alone; those with the most vulnerabilities. */
  proposed: z.array(NamedProduct),
})
export type SupportName = z.output<typeof SupportName>

export const listSupportNames = endpoint({
  path: '/api/kb/support-names',
  cost: 10,
  access: 'admin',
  summary: 'Products of endoflife.date without an identifier, and which products here they may be by their name',
  reply: z.array(SupportName),
})

export const confirmSupportName = endpoint({
  method: 'PUT',
  path: '/api/kb/support-names/:id',
  access: 'admin',
  asksFirst: true,
  summary: 'Say that a product here is one of endoflife.date, or take it back, for everybody',
  params: z.object({ id: z.string().min(1).max(200) }),
  body: z.object({ product_id: Id, release: z.string().max(100).nullish(), confirmed: Flag }),
  reply: z.literal('confirmed.'),
})
