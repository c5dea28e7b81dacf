import * as z from 'zod'
import { CvssThreshold, paces, RouteName, ScoreThreshold, settingsChannels } from '../../domain/alerts/alert-rules'
import { ZoneName } from '../../domain/alerts/alert-times'
import { NameText } from '../../domain/people/name'
import { GroupLabel } from '../../domain/names/watch-item'
import { epssMarks } from '../../domain/scores/epss'
import { endpoint } from '../../http/endpoint'
import { Flag, Id, IdParams, listSchema, Success } from '../../http/fields'

export const verdicts = ['confirmed', 'likely', 'unknown'] as const
export const maxChannelGroups = 50
export const maxChannelInventories = 50
export const maxChannelViews = 5
export const usualEscalateMinutes = 15
const maxDaily = 1_000

/** Secrets show their last four characters, the signing key its public half. */
export const ChannelRow = z.object({
  channel: RouteName,
  /** Its name in the organization. */
  name: z.string(),
  /** Of a further route for mails. */
  addresses: z.array(z.string()),
  /** Of these, what nobody confirmed from the mailbox yet. */
  unconfirmed: z.array(z.string()),
  /** The JSON that is filled for each alert, where it has one. */
  template: z.string(),
  is_configured: z.boolean(),
  url: z.string(),
  apikey: z.string(),
  /** How webhooks are signed; null for the other channels. */
  signing: z.enum(['hmac', 'ed25519']).nullable(),
  on_new: z.boolean(),
  on_update: z.boolean(),
  on_exploitable: z.boolean(),
  on_kev: z.boolean(),
  on_fix: z.boolean(),
  on_malicious: z.boolean(),
  on_due: z.boolean(),
  on_end_of_life: z.boolean(),
  on_cra: z.boolean(),
  on_score: z.boolean(),
  score_value: z.number(),
  on_cvss: z.boolean(),
  cvss_value: z.number(),
  on_cvss3: z.boolean(),
  cvss3_value: z.number(),
  on_epss: z.boolean(),
  epss_value: z.enum(epssMarks),
  min_score: z.int().nullable(),
  /** Labels of groups; empty: all that is monitored. */
  groups: z.array(z.string()),
  /** Numbers of inventories, and ids of shared views; empty: all. */
  inventories: z.array(z.int()),
  views: z.array(z.int()),
  verdicts: z.array(z.enum(verdicts)),
  daily_max: z.int(),
  only_exploited: z.boolean(),
  pace: z.enum(paces),
  pace_hour: z.int(),
  quiet_from: z.int(),
  quiet_to: z.int(),
  zone: z.string(),
  /** Route of its urgent alerts when nobody acknowledged them within so many minutes; empty: nowhere. */
  escalate_to: RouteName.or(z.literal('')),
  escalate_minutes: z.int(),
  last_success_at: z.string().nullable(),
  failing_since: z.string().nullable(),
  last_error: z.string().nullable(),
  disabled_at: z.string().nullable(),
})
export type ChannelRow = z.output<typeof ChannelRow>

const ChannelParams = z.object({ channel: z.enum(settingsChannels) })
const Secret = z.string().trim().max(2_000)
const minutesRange = 'From 1 to 1,440 minutes'

const HourOfDay = z.coerce.number<number | string>().int().min(0).max(23)

export const ChannelChange = z.strictObject({
  url: Secret.optional(),
  apikey: Secret.optional(),
  on_new: Flag.optional(),
  on_update: Flag.optional(),
  on_exploitable: Flag.optional(),
  on_kev: Flag.optional(),
  on_fix: Flag.optional(),
  on_malicious: Flag.optional(),
  on_due: Flag.optional(),
  on_end_of_life: Flag.optional(),
  on_cra: Flag.optional(),
  on_score: Flag.optional(),
  score_value: ScoreThreshold.optional(),
  on_cvss: Flag.optional(),
  cvss_value: CvssThreshold.optional(),
  on_cvss3: Flag.optional(),
  cvss3_value: CvssThreshold.optional(),
  on_epss: Flag.optional(),
  epss_value: z.enum(epssMarks).optional(),
  /** 0: all. */
  min_score: z.coerce.number<number | string>().int().min(0).max(100).optional(),
  groups: listSchema(GroupLabel, { max: maxChannelGroups }).optional(),
  inventories: listSchema(Id, { max: maxChannelInventories }).optional(),
  views: listSchema(Id, { max: maxChannelViews }).optional(),
  verdicts: listSchema(z.enum(verdicts), { max: verdicts.length }).optional(),
  /** 0: all. */
  daily_max: z.coerce.number<number | string>().int().min(0).max(maxDaily).optional(),
  only_exploited: Flag.optional(),
  pace: z.enum(paces).optional(),
  pace_hour: HourOfDay.optional(),
  /** Hours of the day; the same twice: never quiet. Urgent alerts pass. */
  quiet_from: HourOfDay.optional(),
  quiet_to: HourOfDay.optional(),
  zone: ZoneName.optional(),
  escalate_to: RouteName.or(z.literal('')).optional(),
  escalate_minutes: z.coerce.number<number | string>().int().min(1, minutesRange).max(1_440, minutesRange).optional(),
  name: NameText.max(60).optional(),
  addresses: listSchema(z.string().max(320), { max: 10 }).optional(),
  template: z.string().max(10_000).optional(),
})
export type ChannelChange = z.output<typeof ChannelChange>

export const listChannels = endpoint({
  path: '/api/alerts/channels/',
  access: 'manageAlerts',
  summary: 'The ways by which the organization is told, what each tells of, and how well it does',
  reply: z.array(ChannelRow),
})

export const updateChannel = endpoint({
  method: 'PUT',
  path: '/api/alerts/channels/:channel/',
  access: 'manageAlerts',
  summary: 'Change where a channel leads, or what it tells of; a new webhook answers its signing key, this once',
  params: ChannelParams,
  body: ChannelChange,
  reply: ChannelRow.extend({ key: z.string().optional() }),
})

export const removeChannel = endpoint({
  method: 'DELETE',
  path: '/api/alerts/channels/:channel/',
  access: 'manageAlerts',
  summary: 'Forget the address and the keys of a channel; its rules stay',
  params: ChannelParams,
  reply: Success,
})

/** The specification answers 200 with a reason where a test could not be sent. */
export const TestOutcome = z.object({ status: z.enum(['success', 'error']), reason: z.string() })

export const testChannel = endpoint({
  method: 'POST',
  path: '/api/alerts/channels/:channel/test',
  access: 'manageAlerts',
  asksFirst: true,
  summary: 'Send a test through a channel; one that was switched off is on again when it is taken',
  cost: 5,
  params: ChannelParams,
  reply: TestOutcome,
})

export const testEmail = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/api/alerts/email/test',
  access: 'manageAlerts',
  asksFirst: true,
  summary: 'Send a test mail to the contact addresses',
  cost: 5,
  reply: TestOutcome,
})

export const renewWebhookKey = endpoint({
  method: 'POST',
  path: '/api/alerts/webhook/key',
  access: 'manageAlerts',
  summary: 'A new signing key, answered this once; for a day the old one signs too',
  body: z.object({ signing: z.enum(['hmac', 'ed25519']).default('hmac') }),
  reply: z.object({ key: z.string(), old_key_until: z.string() }),
})

export const resendDelivery = endpoint({
  method: 'POST',
  path: '/api/alerts/deliveries/:id/resend',
  access: 'manageAlerts',
  summary: 'Send a message again, under the same id',
  params: IdParams,
  reply: Success,
})

export const resendAllFailed = endpoint({
  method: 'POST',
  path: '/api/alerts/deliveries/resend',
  access: 'manageAlerts',
  asksFirst: true,
  summary: 'Send again all messages that were given up, each under its id',
  cost: 5,
  reply: z.object({ count: z.int() }),
})
