import * as z from 'zod'
import { fieldMask } from '../domain/words/names'
import { GroupLabel } from '../domain/names/watch-item'
import { ExploitRow } from '../exploits/contract'
import { endpoint } from '../http/endpoint'
import { VulnRow } from '../vulns/contract'
import { Success, Tally, When } from '../http/fields'

const Days = z.object({ day: z.string(), critical: Tally, high: Tally, medium: Tally, low: Tally, unscored: Tally })

export const vulnStats = endpoint({
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
    monitored_inventories: Tally,
  }),
})

export const monitoredStats = endpoint({
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
      inventories: Tally,
    }),
    /** So many of the items still wait to be matched with their vulnerabilities, which the numbers lack until then. */
    matching_count: z.int(),
    /** Open vulnerabilities by severity on the last 90 days, of what is monitored now; null where there are more than 10,000. */
    days: z.array(Days).nullable(),
  }),
})

export const latestVulns = endpoint({
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
    /** If nothing monitored changed in these days, what did so last before them. */
    last_monitored: VulnRow.nullable(),
  }),
})

const NewsVuln = VulnRow.pick({
  ...fieldMask('id cveid known_as state title summary score is_score_provisional epss'),
  ...fieldMask('kev due products product_count is_in_the_wild is_malicious monitored run_verdict'),
})
export type NewsVuln = z.output<typeof NewsVuln>

const Rise = NewsVuln.extend({ rise: z.object({ from: z.number(), to: z.number(), day: z.string() }) })

const notSettled = 'NOT status:fixed NOT status:not_interesting'
/** Due within a week, and not settled by the organization. */
export const dueQuery = `due<=7d ${notSettled}`
/** And monitored, overdue ones. */
export const dueOrOverdueQuery = `(due<=7d OR (due<today monitored)) ${notSettled}`
/** How many of the newest entries we look at for what is due and not monitored, as no index holds the days. */
export const newestKev = 50

export const latestNews = endpoint({
  path: '/api/vulns/news',
  access: 'member',
  summary: 'News of KEV, EPSS and exploits, and due vulnerabilities: monitored ones first, at most 5 of each',
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

/** How many rows each list of the desk has. */
export const shownOnDesk = 5

export const homeDesk = endpoint({
  path: '/api/vulns/desk',
  access: 'member',
  summary: 'The worst open vulnerabilities among the monitored ones, and changes since the last visit',
  query: z.object({
    /** When the caller looked last, at most 90 days ago; without it the last day is told. */
    since: When.optional(),
  }),
  reply: z.object({
    /** Since when it tells what changed; null for the last day, as nobody said when they looked last. */
    since: z.string().nullable(),
    /** Open, exploited in the wild, and not known to be safe in the versions that run. */
    exploited: Tally,
    /** Of those, what affects a version that runs; the others may. */
    affecting: Tally,
    /** Open, and its day is over. */
    overdue: Tally,
    overdue_is_exact: z.boolean(),
    /** Monitored items that wait to be matched, and components of inventories that wait to be compared: the numbers lack them. */
    matching_count: Tally,
    comparing_count: Tally,
    /** Open, and its day is over or within a week; the longest overdue first. */
    due: z.array(NewsVuln),
    changed: Tally,
    changed_is_exact: z.boolean(),
    /** The first of what is open by risk. */
    worst: z.array(NewsVuln),
    /** Open vulnerabilities, the last that CISA listed first. */
    kev: z.array(NewsVuln),
    changes: z.array(NewsVuln.extend({ at: z.string(), texts: z.array(z.string()) })),
    /** Open findings of all inventories by the band of their score, of at most 90 days. */
    days: z.array(Days),
  }),
})
export const firstSteps = ['monitor', 'addresses', 'test', 'colleague', 'inventory'] as const

export const listFirstSteps = endpoint({
  path: '/api/vulns/first-steps',
  access: 'member',
  summary:
    'First steps left to a new organization; none once all is done, it is no longer new, or the caller closed it',
  reply: z.object({ steps: z.array(z.object({ name: z.enum(firstSteps), is_done: z.boolean() })) }),
})

export const closeFirstSteps = endpoint({
  method: 'POST',
  path: '/api/vulns/first-steps/close',
  access: 'member',
  summary: 'Put the first steps away, for oneself',
  reply: Success,
})

export type HomeDesk = z.output<typeof homeDesk.reply>
