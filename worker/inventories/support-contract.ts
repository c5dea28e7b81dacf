import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Tally } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { VersionSupport } from '../taxonomy/contract'
import { NameParams } from './name'

export const SupportRow = VersionSupport.extend({ component_id: z.int(), component: z.string(), version: z.string() })
export type SupportRow = z.output<typeof SupportRow>

const Distribution = VersionSupport.extend({ packages: Tally })
export type Distribution = z.output<typeof Distribution>

export const listUnsupported = endpoint({
  path: '/api/inventories/:name/support',
  access: 'member',
  summary: 'Components whose release is no longer supported, or not for long, the longest ended first',
  params: NameParams,
  query: pageQuery(['until'], 'until'),
  reply: pageSchema(SupportRow).extend({
    /** Of how many components endoflife.date lists the product and the release; of the others nobody can tell. */
    known: Tally,
    /** Distributions that packages were built for, by their purls; the state of each, however long it is supported. */
    distributions: z.array(Distribution),
  }),
})
