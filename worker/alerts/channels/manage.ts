import { eq } from 'drizzle-orm'
import { audited } from '../../auth/audit'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { channelNames, findKind, routeNumber, settingsChannels, usualDaily } from '../../domain/alert-rules'
import type { ChannelName, RouteName } from '../../domain/alert-rules'
import { findTemplateFault } from '../../domain/json-template'
import type { AuditAction } from '../../domain/audit-actions'
import { Failure, invalid, notFound } from '../../http/errors'
import { readAddresses } from '../../orgs/addresses'
import { confirmationStatements, findUnconfirmed } from '../../orgs/alert-addresses'
import { getActorName } from '../../orgs/managed-orgs'
import type { By } from '../../orgs/managed-orgs'
import { alertSettings } from '../../schema/alerts'
import type { ChannelChange, ChannelRow } from './contract'
import { planSecrets, storedSecrets } from './change-secrets'
import { openSecrets } from './secrets'
import { dropBacklog, sendBacklog } from './health'
import { deleteChannel, findChannels, isRouteTaken, readHints, takeRoute, writeChannel, writeSettings } from './store'
import type { StoredChannel } from './store'
import { newWebhookKey, receiverKey } from './webhook'

/** Keys that are replaced sign for so long beside the new ones. */
const rotationSeconds = 86_400
const maxRoutes = 30

export async function listStoredChannels(db: Db, org_id: number): Promise<ChannelRow[]> {
  const [email, stored] = [await getStoredSettings(db, org_id), await findChannels(db, org_id)]
  return settingsChannels.map((channel) => toRow(channel, stored.get(channel), channel === 'email' ? email : undefined))
}

/** The first of each kind that stands in the settings, set up or not, and all others. */
export async function listRouteRows(db: Db, org_id: number): Promise<ChannelRow[]> {
  const firsts = await listStoredChannels(db, org_id)
  const known = new Set<RouteName>(firsts.map(({ channel }) => channel))
  const others = [...(await findChannels(db, org_id)).values()]
    .filter(({ channel }) => !known.has(channel))
    .sort((a, b) => routePlace(a.channel) - routePlace(b.channel))
    .map((row) => toRow(row.channel, row, undefined))
  const addresses = [...new Set(others.flatMap((row) => row.addresses))]
  const unconfirmed = new Set(await findUnconfirmed(db, org_id, addresses))
  return [
    ...firsts,
    ...others.map((row) => ({ ...row, unconfirmed: row.addresses.filter((one) => unconfirmed.has(one)) })),
  ]
}

const routePlace = (route: RouteName) => channelNames.indexOf(findKind(route)) * 100 + routeNumber(route)

type StoredSettings = typeof alertSettings.$inferSelect
const isSetUp = (row: StoredChannel | undefined) => row !== undefined && (row.secrets !== '' || row.addresses !== '[]')

type Rules = Pick<StoredChannel, keyof StoredChannel & keyof StoredSettings>

async function getStoredSettings(db: Db, org_id: number) {
  const row = await db.select().from(alertSettings).where(eq(alertSettings.org_id, org_id)).get()
  if (!row) throw notFound('Organization')
  return row
}

const usual: Omit<Rules, 'daily_max'> = {
  only_exploited: false,
  pace: 'now',
  pace_hour: 8,
  quiet_from: 0,
  quiet_to: 0,
  zone: '',
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

function toRow(channel: RouteName, stored: StoredChannel | undefined, email: StoredSettings | undefined): ChannelRow {
  const source = email ?? stored ?? { ...usual, daily_max: usualDaily[findKind(channel)] }
  const { url = '', apikey = '', key } = readHints(stored)
  return {
    channel,
    name: stored?.name ?? '',
    addresses: JSON.parse(stored?.addresses ?? '[]') as string[],
    unconfirmed: [],
    template: stored?.template ?? '',
    is_configured: email ? email.alerts_emails !== '[]' : isSetUp(stored),
    url,
    apikey,
    signing: findKind(channel) === 'webhook' && key ? signingWith(key) : null,
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
    only_exploited: source.only_exploited,
    pace: source.pace,
    pace_hour: source.pace_hour,
    quiet_from: source.quiet_from,
    quiet_to: source.quiet_to,
    zone: source.zone,
    last_success_at: stored?.last_success_at ?? null,
    failing_since: stored?.failing_since ?? null,
    last_error: stored?.last_error ?? null,
    disabled_at: stored?.disabled_at ?? null,
  }
}

type Saved = { channel: RouteName; change: ChannelChange; isNew?: boolean }

export async function saveChannel(db: Db, { channel, change, isNew = false }: Saved, by: By) {
  const { org_id } = by.actor
  const kind = findKind(channel)
  const stored = (await findChannels(db, org_id)).get(channel)
  requireFields(channel, change)
  const { url, apikey } = change
  let secrets = kind === 'email' ? null : await planSecrets(by.env, stored, { url, apikey }, (name) => name)
  let key: string | undefined
  if (kind === 'webhook' && secrets) {
    const opened = await openSecrets(by.env, secrets.secrets)
    if (opened.url && !opened.key) {
      key = await newWebhookKey('hmac')
      secrets = await storedSecrets(by.env, { ...opened, key })
    }
  }
  const addresses = change.addresses && readRouteAddresses(change.addresses)
  const columns = { ...ruleColumns(change), ...secrets, ...(addresses && { addresses: JSON.stringify(addresses) }) }
  if (Object.keys(columns).length) {
    const write =
      channel === 'email' ? writeSettings(db, org_id, columns) : writeChannel(db, { org_id, channel }, columns)
    const { secrets: _, ...open } = { ...columns, secrets: '' }
    const backlog = passBacklog(db, { org_id, channel }, secrets?.secrets, by.now)
    const fresh = addresses?.filter((one) => !stored?.addresses.includes(JSON.stringify(one))) ?? []
    const by_name = { ...by, name: await getActorName(db, by.actor) }
    const confirmations = await confirmationStatements(db, await findUnconfirmed(db, org_id, fresh), by_name)
    const statements = [...(isNew ? [takeRoute(db, { org_id, channel })] : []), ...backlog, write, ...confirmations]
    await writeAudited(db, statements, { action: 'channel.update', channel, detail: open }, by)
    if (backlog.length || confirmations.length) await by.env.DELIVERIES.send({ reason: 'due' })
  }
  const saved = (await listRouteRows(db, org_id)).find((row) => row.channel === channel)
  if (!saved) throw notFound('Route')
  return { ...saved, ...(key && { key: receiverKey(key) }) }
}

/** What a kind has no use for is refused, not dropped. */
function requireFields(channel: RouteName, { url, apikey, addresses, template, name }: ChannelChange) {
  const kind = findKind(channel)
  const refuse = (path: string, message: string) => invalid([{ path: [path], message }])
  if (kind === 'email' && (url !== undefined || apikey !== undefined))
    throw refuse('url', 'The addresses of mails are contact e-mails')
  if (channel === 'email' && (addresses !== undefined || name !== undefined))
    throw refuse('addresses', 'The contact e-mails stand in the settings: add another route for others')
  if (kind !== 'email' && addresses?.length) throw refuse('addresses', 'Only a route for mails has addresses')
  if (kind !== 'json' && template) throw refuse('template', 'Only a JSON webhook has a template')
  const fault = kind === 'json' && template !== undefined ? findTemplateFault(template) : null
  if (fault) throw refuse('template', fault)
}

function readRouteAddresses(input: string[]) {
  const { valid, wrong } = readAddresses(input)
  if (wrong.length) throw invalid([{ path: ['addresses'], message: `E-mail must be valid: ${wrong.join(', ')}` }])
  return valid
}

/** The first of its kind that is not set up, or the next one. */
export async function createRouteRow(db: Db, { kind, ...change }: ChannelChange & { kind: ChannelName }, by: By) {
  const rows = await listRouteRows(db, by.actor.org_id)
  if (rows.filter(({ is_configured }) => is_configured).length >= maxRoutes)
    throw new Failure(409, 'too_many', `An organization has at most ${maxRoutes} routes`)
  requireComplete(kind, change)
  const taken = new Set<RouteName>(rows.filter((row) => row.is_configured).map(({ channel }) => channel))
  // The first one for mails has its addresses in the settings.
  const first = kind === 'email' ? 2 : 1
  for (let number = first; ; number++) {
    const route = number === 1 ? kind : (`${kind}-${number}` as const)
    if (taken.has(route)) continue
    try {
      return await saveChannel(db, { channel: route, change, isNew: true }, by)
    } catch (error) {
      if (!isRouteTaken(error)) throw error
    }
  }
}

export async function changeRouteRow(db: Db, route: RouteName, change: ChannelChange, by: By) {
  const rows = await listRouteRows(db, by.actor.org_id)
  if (!rows.some(({ channel }) => channel === route)) throw notFound('Route')
  return saveChannel(db, { channel: route, change }, by)
}

function requireComplete(kind: ChannelName, { url, apikey, addresses, template }: ChannelChange) {
  const missing = {
    url: kind !== 'email' && kind !== 'pagerduty' && !url,
    apikey: ['thehive', 'misp', 'pagerduty'].includes(kind) && !apikey,
    addresses: kind === 'email' && !addresses?.length,
    template: kind === 'json' && !template,
  }
  const issues = Object.entries(missing).flatMap(([path, is]) => (is ? [{ path: [path], message: 'Required' }] : []))
  if (issues.length) throw invalid(issues)
}

/** Before other secrets of a channel are written: what waits for it goes to the new receiver, or nowhere. */
export function passBacklog(
  db: Db,
  place: { org_id: number; channel: RouteName },
  secrets: string | undefined,
  now: Date,
) {
  if (secrets === undefined) return []
  return [secrets ? sendBacklog(db, place, now) : dropBacklog(db, place)]
}

function ruleColumns({
  url: _url,
  apikey: _apikey,
  addresses: _addresses,
  min_score,
  groups,
  verdicts,
  ...rules
}: ChannelChange) {
  return {
    ...rules,
    ...(min_score !== undefined && { min_score: min_score || null }),
    ...(groups && { groups: JSON.stringify([...new Set(groups)]) }),
    ...(verdicts && { verdicts: JSON.stringify([...new Set(verdicts)]) }),
  }
}

/** The rules of the first of a kind stay for the next address; waiting messages say that the channel was removed. */
export async function removeChannelRow(db: Db, channel: RouteName, by: By) {
  if (channel === 'email') throw invalid([{ path: ['channel'], message: 'Remove the contact e-mails instead' }])
  const { org_id } = by.actor
  const isSetting = settingsChannels.some((name) => name === channel)
  if (!isSetting && !(await findChannels(db, org_id)).has(channel)) throw notFound('Route')
  const write = isSetting
    ? writeChannel(db, { org_id, channel }, await storedSecrets(by.env, {}))
    : deleteChannel(db, { org_id, channel })
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

type Entry = { action: AuditAction; channel: RouteName; detail: Record<string, unknown> }

async function writeAudited(db: Db, statements: D1PreparedStatement[], { action, channel, detail }: Entry, by: By) {
  const { org_id, user_id: actor_id } = by.actor
  const actor = await getActorName(db, by.actor)
  await audited(db, statements, { org_id, actor_id, actor, action, target: channel, detail }, by)
}

const signingWith = (key: string) => (key.startsWith('whsk_') ? 'ed25519' : 'hmac')
