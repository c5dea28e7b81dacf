import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Tally } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { VersionSupport } from '../taxonomy/contract'
import { OtherVulnRef } from '../vulns/contract'
import { ofInventory } from './contract'

export const Upgrade = z.object({
  component_id: z.int(),
  /** The version that the organization chose for some of them. */
  chosen: z.string().nullable(),
  component: z.string(),
  version: z.string().nullable(),
  path: z.array(z.string()),
  /**
   * The lowest version that closes all of its findings with a fix or a first version that is not listed, and that no exploited vulnerability
   * affects; null where no source names one, or nobody knows which of several is the highest.
   */
  to: z.string().nullable(),
  /** The vulnerabilities that ask for this version, where others ask for a lower one. */
  because: z.array(OtherVulnRef),
  /** Those to close, and exploited ones, that some source says affect this version, too, and no source names a higher one. */
  still: z.array(OtherVulnRef),
  closes: z.int(),
  /** Of those with a fix so many are known to be exploited. */
  kev: z.int(),
  /** The risk that it removes: the sum of EPSS × score over what it closes; without a version the risk that stays. */
  risk: z.number(),
  /** Affected and open, and not closed by it: no source names a fix. */
  unfixed: z.object({ count: z.int(), kev: z.int() }),
  vulns: z.array(OtherVulnRef.extend({ fixed_in: z.string().nullable(), first_unlisted: z.string().nullable() })),
  /** Of the release of `to`; null where nobody lists it. */
  support: VersionSupport.nullable(),
})
export type Upgrade = z.output<typeof Upgrade>

export const listUpgrades = endpoint({
  path: '/api/inventories/:name/upgrades',
  ...ofInventory,
  summary: 'Upgrades by the risk that they remove (known exploitation, then EPSS × score)',
  query: pageQuery(['risk'], '-risk'),
  reply: pageSchema(Upgrade),
})

export const SupportRow = VersionSupport.extend({ component_id: z.int(), component: z.string(), version: z.string() })
export type SupportRow = z.output<typeof SupportRow>

const Distribution = VersionSupport.extend({ packages: Tally })
export type Distribution = z.output<typeof Distribution>

export const listUnsupported = endpoint({
  path: '/api/inventories/:name/support',
  ...ofInventory,
  summary: 'Components whose release is no longer supported, or not for long, the longest ended first',
  query: pageQuery(['until'], 'until'),
  reply: pageSchema(SupportRow).extend({
    /** Of how many components endoflife.date lists the product and the release; of the others nobody can tell. */
    known: Tally,
    /** Distributions that packages were built for, by their purls; the state of each, however long it is supported. */
    distributions: z.array(Distribution),
  }),
})
