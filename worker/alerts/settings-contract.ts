import * as z from 'zod'
import { CvssThreshold, ScoreThreshold } from '../domain/alerts/alert-rules'
import { endpoint } from '../http/endpoint'
import { epssMarks } from '../domain/scores/epss'
import { Flag, Id } from '../http/fields'
import { ZoneName } from '../domain/alerts/alert-times'

export const maxAlertEmails = 3

/** The rules of e-mail have older names here than those of every other channel. */
export const oldRuleNames = {
  enable_email_alert_new_vuln: 'on_new',
  enable_email_alert_update_vuln: 'on_update',
  enable_instant_email_report_exploitable: 'on_exploitable',
  enable_instant_email_report_kev: 'on_kev',
  enable_instant_email_report_fix: 'on_fix',
  enable_instant_email_report_malicious: 'on_malicious',
  enable_instant_email_report_due: 'on_due',
  enable_instant_email_report_end_of_life: 'on_end_of_life',
  enable_instant_email_report_cra: 'on_cra',
  enable_instant_email_report_score: 'on_score',
  enable_instant_email_report_score_value: 'score_value',
  enable_instant_email_report_cvss: 'on_cvss',
  enable_instant_email_report_cvss_value: 'cvss_value',
  enable_instant_email_report_cvss3: 'on_cvss3',
  enable_instant_email_report_cvss3_value: 'cvss3_value',
  enable_instant_email_report_epss: 'on_epss',
  enable_instant_email_report_epss_value: 'epss_value',
} as const

const chat = { url: z.string(), new_vuln: z.boolean(), update_vuln: z.boolean() }
const platform = { ...chat, apikey: z.string() }

/** `****` and their last four characters stand for addresses and keys, and may be sent back. */
export const OrgSettings = z.object({
  org_id: z.int(),
  alerts_emails: z.array(z.string()),
  /** Of these, what nobody confirmed from the mailbox yet: nothing is sent there. */
  alerts_emails_unconfirmed: z.array(z.string()),
  alerts_emails_max: z.int(),
  enable_email_alert_new_vuln: z.boolean(),
  enable_email_alert_update_vuln: z.boolean(),
  enable_daily_email_report: z.boolean(),
  enable_weekly_email_report: z.boolean(),
  enable_monthly_email_report: z.boolean(),
  /** Sends a report that has nothing to tell, too. */
  enable_quiet_email_report: z.boolean(),
  /** Zone of the hour of reports: a name of IANA; empty until somebody chose, which is UTC. */
  reports_time_zone: z.string(),
  reports_hour: z.int(),
  enable_instant_email_report_exploitable: z.boolean(),
  enable_instant_email_report_kev: z.boolean(),
  enable_instant_email_report_fix: z.boolean(),
  enable_instant_email_report_malicious: z.boolean(),
  enable_instant_email_report_due: z.boolean(),
  enable_instant_email_report_end_of_life: z.boolean(),
  enable_instant_email_report_cra: z.boolean(),
  enable_instant_email_report_score: z.boolean(),
  enable_instant_email_report_score_value: z.number(),
  enable_instant_email_report_cvss: z.boolean(),
  enable_instant_email_report_cvss_value: z.number(),
  enable_instant_email_report_cvss3: z.boolean(),
  enable_instant_email_report_cvss3_value: z.number(),
  enable_instant_email_report_epss: z.boolean(),
  enable_instant_email_report_epss_value: z.enum(epssMarks),
  show_slack_settings: z.boolean(),
  show_thehive_settings: z.boolean(),
  show_misp_settings: z.boolean(),
  alerts_slack_enabled: z.boolean(),
  alerts_thehive_enabled: z.boolean(),
  alerts_misp_enabled: z.boolean(),
  alerts_slack: z.object(chat),
  alerts_slack_url: z.string(),
  enable_slack_new_vuln: z.boolean(),
  enable_slack_update_vuln: z.boolean(),
  alerts_thehive: z.object(platform),
  alerts_thehive_url: z.string(),
  alerts_thehive_apikey: z.string(),
  enable_thehive_new_vuln: z.boolean(),
  enable_thehive_update_vuln: z.boolean(),
  alerts_misp: z.object(platform),
  alerts_misp_url: z.string(),
  alerts_misp_apikey: z.string(),
  enable_misp_new_vuln: z.boolean(),
  enable_misp_update_vuln: z.boolean(),
})
export type OrgSettings = z.output<typeof OrgSettings>

export const getOrgSettings = endpoint({
  path: '/users/org/:org_id/settings',
  access: 'member',
  summary:
    'Alert settings of an organization of the caller; without the right to change them, no address or key but the own',
  params: z.object({ org_id: Id }),
  reply: OrgSettings,
})

const hourMessage = 'An hour of the day is between 0 and 23'
const ReportHour = z.coerce
  .number<number | string>({ error: hourMessage })
  .int(hourMessage)
  .min(0, hourMessage)
  .max(23, hourMessage)
const Secret = z.string().trim().max(2_000)

// A form sends an object as its JSON.
const nested = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.preprocess((value: z.input<z.ZodObject<Shape>>) => readJson(value), z.strictObject(shape)).optional()

function readJson(value: unknown) {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

const chatChange = { url: Secret.optional(), new_vuln: Flag.optional(), update_vuln: Flag.optional() }
const platformChange = { ...chatChange, apikey: Secret.optional() }

const Addresses = z.union([z.string(), z.array(z.string()).max(1_000)])

/** Takes an answer as it is. A field that is not ours to store is refused, never dropped. */
export const OrgSettingsChange = z.strictObject({
  org_id: Id,
  /** A list, or one text split at commas, semicolons, white space and new lines. */
  alerts_emails: Addresses.optional(),
  alerts_emails_unconfirmed: Addresses.optional(),
  alerts_emails_max: z.coerce.number<number | string>().optional(),
  enable_email_alert_new_vuln: Flag.optional(),
  enable_email_alert_update_vuln: Flag.optional(),
  enable_daily_email_report: Flag.optional(),
  enable_weekly_email_report: Flag.optional(),
  enable_monthly_email_report: Flag.optional(),
  enable_quiet_email_report: Flag.optional(),
  reports_time_zone: ZoneName.optional(),
  reports_hour: ReportHour.optional(),
  enable_instant_email_report_exploitable: Flag.optional(),
  enable_instant_email_report_kev: Flag.optional(),
  enable_instant_email_report_fix: Flag.optional(),
  enable_instant_email_report_malicious: Flag.optional(),
  enable_instant_email_report_due: Flag.optional(),
  enable_instant_email_report_end_of_life: Flag.optional(),
  enable_instant_email_report_cra: Flag.optional(),
  enable_instant_email_report_score: Flag.optional(),
  enable_instant_email_report_score_value: ScoreThreshold.optional(),
  enable_instant_email_report_cvss: Flag.optional(),
  enable_instant_email_report_cvss_value: CvssThreshold.optional(),
  enable_instant_email_report_cvss3: Flag.optional(),
  enable_instant_email_report_cvss3_value: CvssThreshold.optional(),
  enable_instant_email_report_epss: Flag.optional(),
  enable_instant_email_report_epss_value: z.enum(epssMarks).optional(),
  show_slack_settings: Flag.optional(),
  show_thehive_settings: Flag.optional(),
  show_misp_settings: Flag.optional(),
  alerts_slack_enabled: Flag.optional(),
  alerts_thehive_enabled: Flag.optional(),
  alerts_misp_enabled: Flag.optional(),
  alerts_slack: nested(chatChange),
  alerts_slack_url: Secret.optional(),
  enable_slack_new_vuln: Flag.optional(),
  enable_slack_update_vuln: Flag.optional(),
  alerts_thehive: nested(platformChange),
  alerts_thehive_url: Secret.optional(),
  alerts_thehive_apikey: Secret.optional(),
  enable_thehive_new_vuln: Flag.optional(),
  enable_thehive_update_vuln: Flag.optional(),
  alerts_misp: nested(platformChange),
  alerts_misp_url: Secret.optional(),
  alerts_misp_apikey: Secret.optional(),
  enable_misp_new_vuln: Flag.optional(),
  enable_misp_update_vuln: Flag.optional(),
})
export type OrgSettingsChange = z.output<typeof OrgSettingsChange>

export const updateOrgSettings = endpoint({
  method: 'POST',
  path: '/users/org/update',
  access: 'manageAlerts',
  summary:
    'Change alert settings of an organization of the caller; a field that is unknown or not theirs to change is refused',
  body: OrgSettingsChange,
  reply: OrgSettings,
})
