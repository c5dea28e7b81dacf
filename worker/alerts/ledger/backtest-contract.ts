import * as z from 'zod'
import { alertRules, CvssThreshold, ScoreThreshold } from '../../domain/alerts/alert-rules'
import { usualMark } from '../../domain/scores/epss'
import { endpoint } from '../../http/endpoint'
import { Flag, sameFields } from '../../http/fields'
import { judgedSwitches, ruleFields } from '../channels/contract'

/** Rules of a channel before they are saved; an omitted field is off, or means all. */
export const TriedRules = z.object({
  ...sameFields(judgedSwitches, Flag.default(false)),
  score_value: ScoreThreshold.default(80),
  cvss_value: CvssThreshold.default(8),
  cvss3_value: CvssThreshold.default(8),
  epss_value: ruleFields.epss_value.default(usualMark),
  min_score: ruleFields.min_score.default(0),
  groups: ruleFields.groups.default([]),
  inventories: ruleFields.inventories.default([]),
  views: ruleFields.views.default([]),
  verdicts: ruleFields.verdicts.default([]),
  daily_max: ruleFields.daily_max.default(20),
})
export type TriedRules = z.output<typeof TriedRules>

export const BackTest = z.object({
  days_30: z.int(),
  days_90: z.int(),
  /** Of those of 90 days, how many are above the daily number and would have stood in a report. */
  held: z.int(),
  /** False where more changed than was looked at: there may have been more. */
  is_complete: z.boolean(),
  /** That EPSS got within these 90 days: values of both sides are not comparable. */
  new_epss_models: z.array(z.object({ name: z.string(), since: z.string() })),
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
