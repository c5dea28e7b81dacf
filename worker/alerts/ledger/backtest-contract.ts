import * as z from 'zod'
import { alertRules, CvssThreshold, ScoreThreshold } from '../../domain/alerts/alert-rules'
import { GroupLabel } from '../../domain/names/watch-item'
import { epssMarks, usualMark } from '../../domain/scores/epss'
import { endpoint } from '../../http/endpoint'
import { Flag, Id, listSchema } from '../../http/fields'
import { maxChannelGroups, maxChannelInventories, maxChannelViews, verdicts } from '../channels/contract'

const off = Flag.default(false)

/** Rules of a channel before they are saved; an omitted field is off, or means all. */
export const TriedRules = z.object({
  on_new: off,
  on_update: off,
  on_exploitable: off,
  on_kev: off,
  on_fix: off,
  on_malicious: off,
  on_due: off,
  on_cra: off,
  on_score: off,
  score_value: ScoreThreshold.default(80),
  on_cvss: off,
  cvss_value: CvssThreshold.default(8),
  on_cvss3: off,
  cvss3_value: CvssThreshold.default(8),
  on_epss: off,
  epss_value: z.enum(epssMarks).default(usualMark),
  /** 0: all. */
  min_score: z.coerce.number<number | string>().int().min(0).max(100).default(0),
  groups: listSchema(GroupLabel, { max: maxChannelGroups }).default([]),
  inventories: listSchema(Id, { max: maxChannelInventories }).default([]),
  views: listSchema(Id, { max: maxChannelViews }).default([]),
  verdicts: listSchema(z.enum(verdicts), { max: verdicts.length }).default([]),
  /** 0: all. */
  daily_max: z.coerce.number<number | string>().int().min(0).max(1_000).default(20),
  only_exploited: off,
})
export type TriedRules = z.output<typeof TriedRules>

export const BackTest = z.object({
  /** Alerts that the rules would have sent. */
  days_30: z.int(),
  days_90: z.int(),
  /** Of those of 90 days, how many are above the daily number and would have stood in a report. */
  held: z.int(),
  /** False where more changed than was looked at: there may have been more. */
  is_complete: z.boolean(),
  /** That EPSS got within these 90 days: values of both sides are not comparable. */
  new_epss_models: z.array(z.object({ name: z.string(), since: z.string() })),
  /** The newest. */
  alerts: z.array(
    z.object({
      at: z.string(),
      rule: z.enum(alertRules),
      vuln: z.object({ id: z.int(), cveid: z.string().nullable(), summary: z.string() }),
      changes: z.array(z.string()),
    }),
  ),
})
export type BackTest = z.output<typeof BackTest>

export const backTest = endpoint({
  method: 'POST',
  path: '/api/alerts/backtest',
  access: 'manageAlerts',
  summary: 'What these rules would have sent in the last 30 and 90 days of what is monitored now, from the change log',
  cost: 10,
  body: TriedRules,
  reply: BackTest,
})
