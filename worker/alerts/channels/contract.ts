import { z } from 'zod'
import { channelNames, CvssThreshold, ScoreThreshold } from '../../domain/alert-rules'
import { GroupLabel } from '../../domain/watch-item'
import { endpoint } from '../../http/endpoint'
import { Flag, IdParams, listSchema, Success } from '../../http/fields'

export const verdicts = ['confirmed', 'likely', 'unknown'] as const
export const maxChannelGroups = 50
const maxDaily = 1_000

/** Secrets show their last four characters, the signing key its public half. */
export const ChannelRow = z.object({
  channel: z.enum(channelNames),
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
  on_score: z.boolean(),
  score_value: z.number(),
  on_cvss: z.boolean(),
  cvss_value: z.number(),
  on_cvss3: z.boolean(),
  cvss3_value: z.number(),
  min_score: z.int().nullable(),
  /** Labels of groups; empty: all that is monitored. */
  groups: z.array(z.string()),
  verdicts: z.array(z.enum(verdicts)),
  daily_max: z.int(),
  last_success_at: z.string().nullable(),
  failing_since: z.string().nullable(),
  last_error: z.string().nullable(),
  disabled_at: z.string().nullable(),
})
export type ChannelRow = z.output<typeof ChannelRow>

const ChannelParams = z.object({ channel: z.enum(channelNames) })
const Secret = z.string().trim().max(2_000)

export const ChannelChange = z.strictObject({
  url: Secret.optional(),
  apikey: Secret.optional(),
  on_new: Flag.optional(),
  on_update: Flag.optional(),
  on_exploitable: Flag.optional(),
  on_kev: Flag.optional(),
  on_fix: Flag.optional(),
  on_score: Flag.optional(),
  score_value: ScoreThreshold.optional(),
  on_cvss: Flag.optional(),
  cvss_value: CvssThreshold.optional(),
  on_cvss3: Flag.optional(),
  cvss3_value: CvssThreshold.optional(),
  /** 0: all. */
  min_score: z.coerce.number<number | string>().int().min(0).max(100).optional(),
  groups: listSchema(GroupLabel, { max: maxChannelGroups }).optional(),
  verdicts: listSchema(z.enum(verdicts), { max: verdicts.length }).optional(),
  /** 0: all. */
  daily_max: z.coerce.number<number | string>().int().min(0).max(maxDaily).optional(),
})
export type ChannelChange = z.output<typeof ChannelChange>

export const listChannels = endpoint({
  method: 'GET',
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
  summary: 'Forget the address and the keys of a channel; what it tells of stays',
  params: ChannelParams,
  reply: Success,
})

/** The specification answers 200 with a reason where a test could not be sent. */
const TestOutcome = z.object({ status: z.enum(['success', 'error']), reason: z.string() })

export const testChannel = endpoint({
  method: 'POST',
  path: '/api/alerts/channels/:channel/test',
  access: 'manageAlerts',
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
  summary: 'Send again all messages that were given up, each under its id',
  cost: 5,
  reply: z.object({ count: z.int() }),
})

const FeedRow = z.object({
  /** 0: all that is monitored. */
  view_id: z.int(),
  name: z.string(),
  created_at: z.string(),
})

export const listAlertFeeds = endpoint({
  method: 'GET',
  path: '/api/alerts/feeds/',
  access: 'manageAlerts',
  summary: 'Which feeds for feed readers there are',
  reply: z.array(FeedRow),
})

export const createAlertFeed = endpoint({
  method: 'POST',
  path: '/api/alerts/feeds/',
  access: 'manageAlerts',
  summary:
    'Make the feed of all alerts, or of a saved view; its addresses are answered this once, and replace the ones before',
  body: z.object({ view_id: z.coerce.number<number | string>().int().min(0).default(0) }),
  status: 201,
  reply: FeedRow.extend({ atom_url: z.string(), json_url: z.string() }),
})

export const removeAlertFeed = endpoint({
  method: 'DELETE',
  path: '/api/alerts/feeds/:view_id/',
  access: 'manageAlerts',
  summary: 'Revoke the addresses of a feed',
  params: z.object({ view_id: z.coerce.number<number | string>().int().min(0) }),
  reply: Success,
})

const feed = (format: 'atom' | 'json', produces: string) =>
  endpoint({
    method: 'GET',
    path: `/api/public/feeds/:token/${format}`,
    access: 'public',
    summary: `A feed for feed readers (${format === 'atom' ? 'Atom' : 'JSON Feed 1.1'}); its address is its key`,
    params: z.object({ token: z.string().max(200) }),
    reply: z.never(),
    produces,
  })
export const atomFeed = feed('atom', 'application/atom+xml')
export const jsonFeed = feed('json', 'application/feed+json')
