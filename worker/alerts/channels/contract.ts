import * as z from 'zod'
import { CvssThreshold, paces, RouteName, ScoreThreshold, settingsChannels } from '../../domain/alerts/alert-rules'
import { ZoneName } from '../../domain/alerts/alert-times'
import { NameText } from '../../domain/people/name'
import { GroupLabel } from '../../domain/names/watch-item'
import { epssMarks } from '../../domain/scores/epss'
import { endpoint } from '../../http/endpoint'
import { Flag, Id, IdParams, listSchema, sameFields, Success } from '../../http/fields'

export const verdicts = ['confirmed', 'likely', 'unknown'] as const
export const maxChannelInventories = 50
export const maxChannelViews = 5
export const usualEscalateMinutes = 15

export const judgedSwitches = [
  'on_new',
  'on_update',
  'on_exploitable',
  'on_kev',
  'on_fix',
  'on_malicious',
  'on_due',
  'on_cra',
  'on_score',
  'on_cvss',
  'on_cvss3',
  'on_epss',
  'only_exploited',
] as const
const switches = [...judgedSwitches, 'on_end_of_life'] as const

/** Secrets show their last four characters, the signing key its public half. */
export const ChannelRow = z.object({
  channel: RouteName,
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
  ...sameFields(switches, z.boolean()),
  ...sameFields(['score_value', 'cvss_value', 'cvss3_value'], z.number()),
  epss_value: z.enum(epssMarks),
  min_score: z.int().nullable(),
  /** Labels of groups; empty: all that is monitored. */
  groups: z.array(z.string()),
  /** Numbers of inventories, and ids of shared views; empty: all. */
  ...sameFields(['inventories', 'views'], z.array(z.int())),
  verdicts: z.array(z.enum(verdicts)),
  pace: z.enum(paces),
  ...sameFields(['daily_max', 'pace_hour', 'quiet_from', 'quiet_to'], z.int()),
  zone: z.string(),
  /** Route of its urgent alerts when nobody acknowledged them within so many minutes; empty: nowhere. */
  escalate_to: RouteName.or(z.literal('')),
  escalate_minutes: z.int(),
  ...sameFields(['last_success_at', 'failing_since', 'last_error', 'disabled_at'], z.string().nullable()),
})
export type ChannelRow = z.output<typeof ChannelRow>

const ChannelParams = z.object({ channel: z.enum(settingsChannels) })
const Secret = z.string().trim().max(2_000)

const whole = (min: number, max: number, message?: string) =>
  z.coerce.number<number | string>().int().min(min, message).max(max, message)

/** Thresholds and filters of a channel, as somebody writes them. */
export const ruleFields = {
  score_value: ScoreThreshold,
  cvss_value: CvssThreshold,
  cvss3_value: CvssThreshold,
  epss_value: z.enum(epssMarks),
  /** 0: all. */
  min_score: whole(0, 100),
  groups: listSchema(GroupLabel, { max: 50 }),
  inventories: listSchema(Id, { max: maxChannelInventories }),
  views: listSchema(Id, { max: maxChannelViews }),
  verdicts: listSchema(z.enum(verdicts), { max: verdicts.length }),
  /** 0: all. */
  daily_max: whole(0, 1_000),
}

export const ChannelChange = z
  .strictObject({
    url: Secret,
    apikey: Secret,
    ...sameFields(switches, Flag),
    ...ruleFields,
    pace: z.enum(paces),
    /** Hours of the day; quiet from and to the same: never. Urgent alerts pass. */
    ...sameFields(['pace_hour', 'quiet_from', 'quiet_to'], whole(0, 23)),
    zone: ZoneName,
    escalate_to: RouteName.or(z.literal('')),
    escalate_minutes: whole(1, 1_440, 'From 1 to 1,440 minutes'),
    name: NameText.max(60),
    addresses: listSchema(z.string().max(320), { max: 10 }),
    template: z.string().max(10_000),
  })
  .partial()
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
