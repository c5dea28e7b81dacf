import * as z from 'zod'
import { endpoint } from '../../http/endpoint'
import { Flag, Id, sameFields } from '../../http/fields'
import { ZoneName } from '../../domain/alerts/alert-times'
import { ChannelChange, ChannelRow } from '../channels/contract'

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

export const shownChannels = ['slack', 'thehive', 'misp'] as const
const shownFlags = shownChannels.flatMap(
  (name) =>
    [
      `show_${name}_settings`,
      `alerts_${name}_enabled`,
      `enable_${name}_new_vuln`,
      `enable_${name}_update_vuln`,
    ] as const,
)
const shownSecrets = [
  ...shownChannels.map((name) => `alerts_${name}_url` as const),
  'alerts_thehive_apikey',
  'alerts_misp_apikey',
] as const
const reportFlags = [
  'enable_daily_email_report',
  'enable_weekly_email_report',
  'enable_monthly_email_report',
  /** Sends a report that has nothing to tell, too. */
  'enable_quiet_email_report',
] as const

type OldNames = typeof oldRuleNames
/** The schemas of these rules under their older names. */
const underOldNames = <Fields extends Record<OldNames[keyof OldNames], z.ZodType>>(fields: Fields) =>
  Object.fromEntries(Object.entries(oldRuleNames).map(([old, name]) => [old, fields[name]])) as {
    [Old in keyof OldNames]: Fields[OldNames[Old]]
  }

const chat = { url: z.string(), new_vuln: z.boolean(), update_vuln: z.boolean() }
const platform = z.object({ ...chat, apikey: z.string() })

/** `****` and their last four characters stand for addresses and keys, and may be sent back. */
export const OrgSettings = z.object({
  org_id: z.int(),
  alerts_emails: z.array(z.string()),
  /** Of these, what nobody confirmed from the mailbox yet: nothing is sent there. */
  alerts_emails_unconfirmed: z.array(z.string()),
  alerts_emails_max: z.int(),
  ...underOldNames(ChannelRow.shape),
  ...sameFields(reportFlags, z.boolean()),
  /** Zone of the hour of reports: a name of IANA; empty until somebody chose, which is UTC. */
  reports_time_zone: z.string(),
  reports_hour: z.int(),
  ...sameFields(shownFlags, z.boolean()),
  ...sameFields(shownSecrets, z.string()),
  alerts_slack: z.object(chat),
  alerts_thehive: platform,
  alerts_misp: platform,
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
  z.preprocess((value: z.input<z.ZodObject<Shape>>) => readJson(value), z.strictObject(shape))

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
export const OrgSettingsChange = z
  .strictObject({
    /** A list, or one text split at commas, semicolons, white space and new lines. */
    ...sameFields(['alerts_emails', 'alerts_emails_unconfirmed'], Addresses),
    alerts_emails_max: z.coerce.number<number | string>(),
    ...underOldNames(ChannelChange.shape),
    ...sameFields(reportFlags, Flag),
    reports_time_zone: ZoneName,
    reports_hour: ReportHour,
    ...sameFields(shownFlags, Flag),
    ...sameFields(shownSecrets, Secret),
    alerts_slack: nested(chatChange),
    alerts_thehive: nested(platformChange),
    alerts_misp: nested(platformChange),
  })
  .partial()
  .extend({ org_id: Id })
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
