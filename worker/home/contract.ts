import { z } from 'zod'
import { GroupLabel } from '../domain/watch-item'
import { ExploitRow } from '../exploits/contract'
import { endpoint } from '../http/endpoint'
import { VulnRow } from '../vulns/contract'
import { Tally } from '../http/fields'

export const vulnStats = endpoint({
  method: 'GET',
  path: '/api/vulns/stats',
  access: 'member',
  summary: 'The numbers of the home screen',
  reply: z.object({
    vulns: Tally,
    vulns_exploitable: z.int(),
    vulns_remote: z.int(),
    exploits: Tally,
    threats: Tally,
    monitored: Tally,
    monitored_vendors: Tally,
    monitored_products: Tally,
    monitored_packages: Tally,
    monitored_vulns: Tally,
  }),
})

export const monitoredStats = endpoint({
  method: 'GET',
  path: '/api/vulns/stats/monitored',
  access: 'member',
  summary: 'The numbers of what the organization monitors; exact up to 10,000 vulnerabilities',
  reply: z.object({
    vulns: z.object({ count: Tally, exploitable: Tally, remote: Tally }),
    metadata: z.object({ count: Tally, exploits: Tally, threats: Tally }),
    monitored: z.object({
      count: Tally,
      vendors: Tally,
      products: Tally,
      packages: Tally,
      vulnerabilities: z.int(),
    }),
  }),
})

export const latestVulns = endpoint({
  method: 'GET',
  path: '/api/vulns/latest',
  access: 'member',
  summary: 'The newest vulnerabilities and exploits, and the newest monitored vulnerabilities of the last days',
  query: z.object({
    timedelta: z.coerce.number<number | string>().int().min(1).max(365).default(30),
    /** Only what is monitored by an item of this group. */
    group: GroupLabel.optional(),
  }),
  reply: z.object({
    vulns: z.array(VulnRow),
    exploits: z.array(ExploitRow),
    monitored_vulns: z.array(VulnRow),
    /** How many rows at the end of `monitored_vulns` changed before these days. */
    older_count: Tally,
    /** Nothing monitored changed in these days: the rows are the newest before them. */
    is_older: z.boolean(),
  }),
})

const NewsVuln = VulnRow.pick({
  id: true,
  cveid: true,
  known_as: true,
  state: true,
  summary: true,
  score: true,
  is_score_provisional: true,
  epss: true,
  kev: true,
  products: true,
  product_count: true,
  monitored: true,
  run_verdict: true,
})
export type NewsVuln = z.output<typeof NewsVuln>

const Rise = NewsVuln.extend({ rise: z.object({ from: z.number(), to: z.number(), day: z.string() }) })

/** Due within a week by CISA, and not settled by the organization. */
export const dueQuery = 'due<=7d NOT status:fixed NOT status:not_interesting'
/** How many of the newest entries we look at for what is due and not monitored, as no index holds the days. */
export const newestKev = 50

export const latestNews = endpoint({
  method: 'GET',
  path: '/api/vulns/news',
  access: 'member',
  summary:
    'What is new in KEV, in EPSS and among the exploits, and what is due: what is monitored first, at most 5 of each',
  reply: z.object({
    kev: z.array(NewsVuln),
    /** The first of `dueQuery`; unmonitored ones only if they are among the newest entries. */
    due: z.array(NewsVuln),
    rises: z.array(Rise),
    exploits: z.array(ExploitRow.extend({ monitored: z.boolean() })),
    /** We looked for monitored ones among this many exploits, those that changed last; null for all of the last month. */
    exploits_looked_at: z.int().nullable(),
  }),
})
