import * as z from 'zod'
import { reportKinds } from '../../domain/alerts/report-times'
import { severities } from '../../domain/scores/severity'
import { runVerdicts } from '../../domain/versions/verdict'
import { endpoint } from '../../http/endpoint'
import { Id, sameFields } from '../../http/fields'

/** All changes of a vulnerability in the period are one row. */
export const ReportRow = z.object({
  id: z.int(),
  /** `CVE-2024-3094`, `MAL-2025-46969`, or the PH number of what nobody else named. */
  name: z.string(),
  summary: z.string(),
  is_new: z.boolean(),
  /** It was above the daily number of a channel, so that nobody was told at once. */
  is_held: z.boolean(),
  score: z.int().nullable(),
  is_score_provisional: z.boolean(),
  /** "9.8 Critical", or "Critical (malicious)". */
  cvss: z.string().nullable(),
  epss: z.string().nullable(),
  kev: z.boolean(),
  is_exploitable: z.boolean(),
  exploit_count: z.int(),
  /** The items of the watchlist that it concerns, the one with the highest score first. */
  products: z.array(z.string()),
  verdict: z.enum(runVerdicts).nullable(),
  changed: z.array(z.string()),
})
export type ReportRow = z.output<typeof ReportRow>

export const ReportFacts = z.object({
  org_name: z.string(),
  kind: z.enum(reportKinds),
  /** The local day on which it was due. */
  period: z.string(),
  starts_at: z.string(),
  ends_at: z.string(),
  time_zone: z.string(),
  /** Open vulnerabilities at its end, by the bands of the score. */
  open: z.object(sameFields(severities, z.int())),
  /** Of what stands open: how much is overdue, and how much is due today or tomorrow, in days of UTC. */
  overdue: z.int().default(0),
  soon: z.int().default(0),
  /** Of the vulnerabilities that changed in the period. */
  new: z.int(),
  updated: z.int(),
  /** Vulnerabilities set to fixed meanwhile. */
  fixed: z.int(),
  /** Of those that changed, how many are known to be exploited. */
  kev: z.int(),
  /** The highest score of those that changed; null when none is scored. */
  highest: z.object({ score: z.int(), is_score_provisional: z.boolean() }).nullable(),
  /** Vulnerabilities that were above a daily number, and of these those of which nobody was told before. */
  held: z.int(),
  untold: z.int(),
  /** How many wait for a channel that Earshot switched off. */
  parked: z.int(),
  /** Running releases without fixes now, or in 90 days, in words, and the number of further ones. */
  support_ends: z.array(z.string()).default([]),
  more_ends: z.int().default(0),
  /** On which pages those that were held stand. */
  held_pages: z.array(z.int()),
  pages: z.int(),
  /** Of the page: by product, the one with the highest score first; within it by score. Later pages are of lower risk. */
  rows: z.array(ReportRow),
  /** How many more there are that stand on no page. */
  more: z.int(),
})
export type ReportFacts = z.output<typeof ReportFacts>

export type DescribedPage = Pick<ReportFacts, 'rows'>

export const ReportEntry = ReportFacts.pick(
  sameFields(['kind', 'period', 'starts_at', 'ends_at', 'time_zone', 'new', 'updated', 'fixed', 'held'], true as const),
)

export const listReports = endpoint({
  path: '/api/reports/',
  access: 'member',
  summary: 'The last reports of the organization, of each kind the newest first',
  reply: z.array(ReportEntry),
})

export const getSample = endpoint({
  path: '/api/reports/sample',
  access: 'member',
  summary:
    'A sample report and alert, made of the newest entries of CISA; nothing of it needs to concern the organization',
  reply: z.object({ report: ReportFacts, alert: z.object({ subject: z.string(), text: z.string() }) }),
})

const OfSchedule = z.object({ schedule: z.enum(reportKinds) })
const Page = z.coerce.number<number | string>().int().min(1).default(1)

export const previewReport = endpoint({
  path: '/api/reports/:schedule/now',
  access: 'member',
  cost: 10,
  summary: 'A page of a report as it would be if it were due now; nothing counts as told by it',
  params: OfSchedule,
  query: z.object({ page: Page }),
  reply: ReportFacts,
})

export const sendReport = endpoint({
  method: 'POST',
  path: '/api/reports/:schedule/send',
  access: 'manageAlerts',
  cost: 10,
  summary: 'Mail a report as it is now to the contact addresses; the next one tells of all of it again',
  params: OfSchedule,
  reply: z.object({ sent: z.int() }),
})

export const getReport = endpoint({
  path: '/api/reports/:schedule/:day',
  access: 'member',
  summary: 'A page of a report as it was made',
  params: z.object({ schedule: z.enum(reportKinds), day: z.iso.date() }),
  /** Another organization of the caller than the current one. */
  query: z.object({ org_id: Id.optional(), page: Page }),
  reply: ReportFacts,
})
