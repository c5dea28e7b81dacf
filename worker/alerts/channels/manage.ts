import { eq } from 'drizzle-orm'
import { audited } from '../../auth/audit'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { channelNames, usualDaily } from '../../domain/alert-rules'
import type { ChannelName } from '../../domain/alert-rules'
import type { AuditAction } from '../../domain/audit-actions'
import { invalid, notFound } from '../../http/errors'
import { getActorName } from '../../orgs/managed-orgs'
import type { By } from '../../orgs/managed-orgs'
import { alertSettings } from '../../schema/alerts'
import type { ChannelChange, ChannelRow } from './contract'
import { planSecrets, storedSecrets } from './change-secrets'
import { openSecrets } from './secrets'
import { dropBacklog, sendBacklog } from './health'
import { findChannels, readHints, writeChannel, writeSettings } from './store'
import type { StoredChannel } from './store'
import { newWebhookKey, receiverKey } from './webhook'

/** Keys that are replaced sign for so long beside the new ones. */
const rotationSeconds = 86_400

export async function listStoredChannels(db: Db, org_id: number): Promise<ChannelRow[]> {
  const [email, stored] = [await getStoredSettings(db, org_id), await findChannels(db, org_id)]
  return channelNames.map((channel) => toRow(channel, stored.get(channel), channel === 'email' ? email : undefined))
}

type StoredSettings = typeof alertSettings.$inferSelect
type Rules = Pick<StoredChannel, keyof StoredChannel & keyof StoredSettings>

async function getStoredSettings(db: Db, org_id: number) {
  const row = await db.select().from(alertSettings).where(eq(alertSettings.org_id, org_id)).get()
  if (!row) throw notFound('Organization')
  return row
}

const usual: Omit<Rules, 'daily_max'> = {
  on_new: true,
  on_update: true,
  on_exploitable: false,
  on_kev: false,
  on_fix: false,
  on_score: false,
  score_value: 80,
  on_cvss: false,
  cvss_value: 8,
  on_cvss3: false,
  cvss3_value: 8,
  min_score: null,
  groups: '[]',
  verdicts: '[]',
}

function toRow(channel: ChannelName, stored: StoredChannel | undefined, email: StoredSettings | undefined): ChannelRow {
  const source = email ?? stored ?? { ...usual, daily_max: usualDaily[channel] }
  const { url = '', apikey = '', key } = readHints(stored)
  return {
    channel,
    is_configured: email ? email.alerts_emails !== '[]' : (stored?.secrets ?? '') !== '',
    url,
    apikey,
    signing: channel === 'webhook' && key ? signingWith(key) : null,
    on_new: source.on_new,
    on_update: source.on_update,
    on_exploitable: source.on_exploitable,
    on_kev: source.on_kev,
    on_fix: source.on_fix,
    on_score: source.on_score,
    score_value: source.score_value,
    on_cvss: source.on_cvss,
    cvss_value: source.cvss_value,
    on_cvss3: source.on_cvss3,
    cvss3_value: source.cvss3_value,
    min_score: source.min_score,
    groups: JSON.parse(source.groups) as string[],
    verdicts: JSON.parse(source.verdicts) as ChannelRow['verdicts'],
    daily_max: source.daily_max,
    last_success_at: stored?.last_success_at ?? null,
    failing_since: stored?.failing_since ?? null,
    last_error: stored?.last_error ?? null,
    disabled_at: stored?.disabled_at ?? null,
  }
}

export async function saveChannel(db: Db, channel: ChannelName, change: ChannelChange, by: By) {
  const { org_id } = by.actor
  const stored = (await findChannels(db, org_id)).get(channel)
  const { url, apikey } = change
  if (channel === 'email' && (url !== undefined || apikey !== undefined))
    throw invalid([{ path: ['url'], message: 'The addresses of mails are contact e-mails' }])
  let secrets = channel === 'email' ? null : await planSecrets(by.env, stored, { url, apikey }, (name) => name)
  let key: string | undefined
  if (channel === 'webhook' && secrets) {
    const opened = await openSecrets(by.env, secrets.secrets)
    if (opened.url && !opened.key) {
      key = await newWebhookKey('hmac')
      secrets = await storedSecrets(by.env, { ...opened, key })
    }
  }
  const columns = { ...ruleColumns(change), ...secrets }
  if (Object.keys(columns).length) {
    const write =
      channel === 'email' ? writeSettings(db, org_id, columns) : writeChannel(db, { org_id, channel }, columns)
    const { secrets: _, ...open } = { ...columns, secrets: '' }
    const backlog = passBacklog(db, { org_id, channel }, secrets?.secrets, by.now)
    await writeAudited(db, [...backlog, write], { action: 'channel.update', channel, detail: open }, by)
    if (backlog.length) await by.env.DELIVERIES.send({ reason: 'due' })
  }
  const saved = (await listStoredChannels(db, org_id)).find((row) => row.channel === channel)
  if (!saved) throw notFound('Channel')
  return { ...saved, ...(key && { key: receiverKey(key) }) }
}

/** Before other secrets of a channel are written: what waits for it goes to the new receiver, or nowhere. */
export function passBacklog(
  db: Db,
  place: { org_id: number; channel: ChannelName },
  secrets: string | undefined,
  now: Date,
) {
  if (secrets === undefined) return []
  return [secrets ? sendBacklog(db, place, now) : dropBacklog(db, place)]
}

function ruleColumns({ url: _url, apikey: _apikey, min_score, groups, verdicts, ...rules }: ChannelChange) {
  return {
    ...rules,
    ...(min_score !== undefined && { min_score: min_score || null }),
    ...(groups && { groups: JSON.stringify([...new Set(groups)]) }),
    ...(verdicts && { verdicts: JSON.stringify([...new Set(verdicts)]) }),
  }
}

/** Its rules stay for the next address; waiting messages say that the channel was removed. */
export async function removeChannelRow(db: Db, channel: ChannelName, by: By) {
  if (channel === 'email') throw invalid([{ path: ['channel'], message: 'Remove the contact e-mails instead' }])
  const { org_id } = by.actor
  const columns = await storedSecrets(by.env, {})
  const write = writeChannel(db, { org_id, channel }, columns)
  const statements = [dropBacklog(db, { org_id, channel }), write]
  await writeAudited(db, statements, { action: 'channel.remove', channel, detail: {} }, by)
  return { status: 'success' as const }
}

/** The old key signs beside the new one for a day, so that no message is refused meanwhile. */
export async function rotateWebhookKey(db: Db, signing: 'hmac' | 'ed25519', by: By) {
  const { org_id } = by.actor
  const stored = (await findChannels(db, org_id)).get('webhook')
  const before = await openSecrets(by.env, stored?.secrets ?? '')
  if (!before.url) throw notFound('Webhook')
  const key = await newWebhookKey(signing)
  const old_key_until = stamp(plusSeconds(by.now, rotationSeconds))
  const { secrets, hints } = await storedSecrets(by.env, {
    ...before,
    key,
    ...(before.key && { old_key: before.key, old_key_until }),
  })
  const write = writeChannel(db, { org_id, channel: 'webhook' }, { secrets, hints })
  await writeAudited(db, [write], { action: 'channel.key', channel: 'webhook', detail: { signing } }, by)
  return { key: receiverKey(key), old_key_until }
}

type Entry = { action: AuditAction; channel: ChannelName; detail: Record<string, unknown> }

async function writeAudited(db: Db, statements: D1PreparedStatement[], { action, channel, detail }: Entry, by: By) {
  const { org_id, user_id: actor_id } = by.actor
  const actor = await getActorName(db, by.actor)
  await audited(db, statements, { org_id, actor_id, actor, action, target: channel, detail }, by)
}

const signingWith = (key: string) => (key.startsWith('whsk_') ? 'ed25519' : 'hmac')
