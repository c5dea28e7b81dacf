import * as z from 'zod'
import { ExploitRow, ThreatRow } from '../exploits/contract'
import { endpoint } from '../http/endpoint'
import { Tally } from '../http/fields'
import { pageLimit } from '../http/page'
import { Lifecycle } from '../taxonomy/contract'
import { VulnRow } from '../vulns/contract'

const maxFound = 100

export const searchAll = endpoint({
  path: '/api/search/:query',
  access: 'member',
  summary: 'Vulnerabilities, exploits and threat activities that a text finds, the newest of each kind',
  params: z.object({ query: z.string().trim().max(10_000) }),
  query: z.object({
    limit: pageLimit(20, maxFound),
  }),
  reply: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('vuln'), value: VulnRow }),
      z.object({ type: z.literal('exploit'), value: ExploitRow }),
      z.object({ type: z.literal('threat'), value: ThreatRow }),
    ]),
  ),
})

/** Finds the one thing that an id, a CPE name or a purl names. */
export const searchTarget = endpoint({
  path: '/api/search-target',
  access: 'member',
  summary: 'The one thing that a text names, if it names one',
  query: z.object({ term: z.string().trim().max(10_000) }),
  reply: z
    .object({ type: z.enum(['vuln', 'product', 'package']), id: z.int(), version: z.string().nullable() })
    .nullable(),
})

export const correctSearch = endpoint({
  path: '/api/search-corrected',
  cost: 5,
  access: 'member',
  summary: 'The nearest search that finds something: known names for “fortinte”, filters for “kev”, else fewer words',
  query: z.object({ search: z.string().trim().max(300) }),
  /** `q`: filters that some of the words name. */
  reply: z.object({ search: z.string(), q: z.string() }).nullable(),
})

/** A version of a product or package that a text names, and what affects it. */
const VersionAnswer = z.object({
  type: z.enum(['product', 'package']),
  id: z.int(),
  /** The vendor of a product, the type of a package. */
  group: z.string(),
  name: z.string(),
  version: z.string(),
  vulns_count: Tally,
  /** Of the release that it belongs to, where endoflife.date knows it. */
  release: Lifecycle.shape.releases.element.nullable(),
  /** Of its vulnerabilities; null where there are too many to judge them within a request. */
  counts: z.object({ affected: Tally, exploited: Tally, unknown: Tally }).nullable(),
  /**
   * The lowest version above it from which on no source calls any affected that has a named end; `is_stated` where sources call
   * all of these ends fixes. `still`: how many affect that one, too, as no source names their end.
   */
  free: z.object({ version: z.string(), is_stated: z.boolean(), still: Tally }).nullable(),
})
export type VersionAnswer = z.output<typeof VersionAnswer>

export const askVersion = endpoint({
  path: '/api/search-version',
  cost: 5,
  access: 'member',
  summary: 'How many vulnerabilities affect a version: “openssl 3.0.6”',
  query: z.object({ term: z.string().trim().max(300) }),
  reply: z.array(VersionAnswer),
})
