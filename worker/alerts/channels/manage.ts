import { and, eq, inArray, isNull } from 'drizzle-orm'
import { readyAuditBy } from '../../auth/audited-by'
import { isAborted } from '../../db/guard'
import type { Db } from '../../db/open'
import { writeAndRead } from '../../db/statement'
import { findKind, settingsChannels, type ChannelName, type RouteName } from '../../domain/alerts/alert-rules'
import { findJiraProject } from '../../domain/alerts/jira-project'
import { findTemplateFault } from '../../domain/alerts/json-template'
import { Failure, invalid, notFound } from '../../http/errors'
import { spellAddresses } from '../../orgs/addresses'
import type { By } from '../../orgs/managed-orgs'
import type { RoutePlace } from '../../schema/alerts'
import { inventories } from '../../schema/inventories'
import { savedViews } from '../../schema/views'
import { refuseCutViews } from '../judge-context'
import { usualEscalateMinutes, type ChannelChange, type ChannelRow } from './contract'
import { planSecrets, storedSecrets } from './change-secrets'
import { isHint, openSecrets } from './secrets'
import { dropBacklog, moveWaiting, passBacklog } from './health'
import { listRouteRows } from './rows'
import {
  deleteChannel,
  deleteEscalations,
  findChannels,
  readySave,
  refuseTooManyRoutes,
  takeRoute,
  writeChannel,
  writeEscalation,
  writeSettings,
} from './store'
import type { ChannelColumns } from './store'
import { newWebhookKey, receiverKey } from './webhook'

export const maxRoutes = 30

type Saved = { channel: RouteName; change: ChannelChange; isNew?: boolean; before: Before }
type Before = Awaited<ReturnType<typeof readBefore>>

/** All that saving needs to know, in one trip. */
async function readBefore(db: Db, change: ChannelChange, by: By) {
  const { org_id } = by.actor
  const typed = await spellAddresses(db, org_id, change.addresses ?? [])
  const [rows, known, ready] = await Promise.all([
    listRouteRows(db, org_id),
    findKnown(db, org_id, change),
    readySave(db, typed.valid, by),
  ])
  return { rows, known, typed, ...ready }
}

async function saveRoute(db: Db, { channel, change, isNew = false, before }: Saved, by: By) {
  const { org_id } = by.actor
  const place = { org_id, channel }
  const kind = findKind(channel)
  const stored = before.channels.get(channel)
  const row = before.rows.find((shown) => shown.channel === channel)
  requireFields(channel, change)
  requireKnown(change, before.known)
  await refuseCutViews(db, org_id, { channel, views: change.views ?? [] }, before.rows)
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
  const addresses = change.addresses && readRouteAddresses(before.typed)
  const columns = { ...ruleColumns(change), ...secrets, ...(addresses && { addresses: JSON.stringify(addresses) }) }
  const escalation = planEscalation(db, place, change, { row, rows: before.rows })
  const moved =
    row && timeNames.some((name) => change[name] !== undefined)
      ? [moveWaiting(db, place, { ...row, ...change }, by.now)]
      : []
  let { rows } = before
  if (Object.keys(columns).length || escalation.length) {
    const writes = Object.keys(columns).length ? [writeRules(db, place, columns)] : []
    const { secrets: _, ...open } = { ...columns, secrets: '' }
    const backlog = passBacklog(db, place, secrets?.secrets, by.now)
    const isKnown = (address: string) => stored?.addresses.includes(JSON.stringify(address))
    const confirmations = await before.confirm(addresses?.filter((address) => !isKnown(address)) ?? [])
    const statements = [
      ...(isNew ? [takeRoute(db, place)] : []),
      ...backlog,
      ...writes,
      ...moved,
      ...escalation,
      ...confirmations,
      ...(isNew ? [refuseTooManyRoutes(db, org_id, maxRoutes)] : []),
    ]
    const entry = { action: 'channel.update' as const, target: channel, detail: open }
    rows = await writeAndRead(
      db,
      (reads) => before.write([...statements, ...reads], entry),
      (after) => listRouteRows(after, org_id),
    )
    if (backlog.length || confirmations.length) await by.env.DELIVERIES.send({ reason: 'due' })
  }
  const saved = rows.find((shown) => shown.channel === channel)
  if (!saved) throw notFound('Route')
  return { ...saved, ...(key && { key: receiverKey(key) }) }
}

/** A field that a kind has no use for is refused, not dropped. */
function requireFields(channel: RouteName, { url, apikey, addresses, template, name }: ChannelChange) {
  const kind = findKind(channel)
  const refuse = (path: string, message: string) => invalid([{ path: [path], message }])
  if (kind === 'email' && (url !== undefined || apikey !== undefined))
    throw refuse('url', 'The addresses of mails are contact e-mails')
  if (channel === 'email' && (addresses !== undefined || name !== undefined))
    throw refuse('addresses', 'The contact e-mails stand in the settings: add another route for others')
  if (kind !== 'email' && addresses?.length) throw refuse('addresses', 'Only a route for mails has addresses')
  if (kind === 'jira' && url && !isHint(url) && !findJiraProject(url))
    throw refuse('url', 'The address of a project, for example https://acme.atlassian.net/browse/SEC')
  if (kind !== 'json' && template) throw refuse('template', 'Only a JSON webhook has a template')
  const fault = kind === 'json' && template !== undefined ? findTemplateFault(template) : null
  if (fault) throw refuse('template', fault)
}

/** The rules of the first route for mails are settings. */
const writeRules = (db: Db, place: RoutePlace, columns: ChannelColumns) =>
  place.channel === 'email' ? writeSettings(db, place.org_id, columns) : writeChannel(db, place, columns)

type Shown = { row: ChannelRow | undefined; rows: ChannelRow[] }

function planEscalation(
  db: Db,
  place: RoutePlace,
  { escalate_to, escalate_minutes }: ChannelChange,
  { row, rows }: Shown,
) {
  if (escalate_to === undefined && escalate_minutes === undefined) return []
  const next = escalate_to ?? row?.escalate_to ?? ''
  const isThere = rows.some(({ channel, is_configured }) => channel === next && is_configured)
  if (next && (next === place.channel || !isThere))
    throw invalid([{ path: ['escalate_to'], message: 'Another receiver that is set up' }])
  return [writeEscalation(db, place, next, escalate_minutes ?? row?.escalate_minutes ?? usualEscalateMinutes)]
}

const timeNames = ['pace', 'pace_hour', 'quiet_from', 'quiet_to', 'zone'] as const

/** Inventories of the organization, and views that all of it see. */
const findKnown = (db: Db, org_id: number, { inventories: inventory_ids = [], views = [] }: ChannelChange) =>
  db.batch([
    db
      .select({ id: inventories.id })
      .from(inventories)
      .where(
        and(eq(inventories.org_id, org_id), isNull(inventories.removed_at), inArray(inventories.id, inventory_ids)),
      ),
    db
      .select({ id: savedViews.id })
      .from(savedViews)
      .where(and(eq(savedViews.org_id, org_id), eq(savedViews.is_shared, true), inArray(savedViews.id, views))),
  ])

function requireKnown(
  { inventories: inventory_ids = [], views = [] }: ChannelChange,
  [inventoryRows, viewRows]: Before['known'],
) {
  const isMissing = (ids: number[], rows: { id: number }[]) => new Set(ids).size > rows.length
  if (isMissing(inventory_ids, inventoryRows))
    throw invalid([{ path: ['inventories'], message: 'There is no such inventory' }])
  if (isMissing(views, viewRows)) throw invalid([{ path: ['views'], message: 'Only a shared view can be a rule' }])
}

function readRouteAddresses({ valid, wrong }: Before['typed']) {
  if (wrong.length) throw invalid([{ path: ['addresses'], message: `E-mail must be valid: ${wrong.join(', ')}` }])
  return valid
}

/** The first of its kind that is not set up, or the next one. */
export async function createRouteRow(db: Db, { kind, ...change }: ChannelChange & { kind: ChannelName }, by: By) {
  const before = await readBefore(db, change, by)
  const { rows } = before
  if (rows.filter(({ is_configured }) => is_configured).length >= maxRoutes) throw tooManyRoutes()
  requireComplete(kind, change)
  const taken = new Set<RouteName>(rows.filter((row) => row.is_configured).map(({ channel }) => channel))
  // The first one for mails has its addresses in the settings.
  const first = kind === 'email' ? 2 : 1
  for (let number = first; ; number++) {
    const route = number === 1 ? kind : (`${kind}-${number}` as const)
    if (taken.has(route)) continue
    try {
      return await saveRoute(db, { channel: route, change, isNew: true, before }, by)
    } catch (error) {
      if (isAborted(error, 'quota')) throw tooManyRoutes()
      if (!isAborted(error, 'route')) throw error
    }
  }
}

const tooManyRoutes = () => new Failure(409, 'too_many', `An organization has at most ${maxRoutes} routes`)

export async function changeRouteRow(db: Db, route: RouteName, change: ChannelChange, by: By) {
  const before = await readBefore(db, change, by)
  if (!before.rows.some(({ channel }) => channel === route)) throw notFound('Route')
  return saveRoute(db, { channel: route, change, before }, by)
}

function requireComplete(kind: ChannelName, { url, apikey, addresses, template }: ChannelChange) {
  const missing = {
    url: kind !== 'email' && kind !== 'pagerduty' && !url,
    apikey: ['thehive', 'misp', 'pagerduty', 'jira'].includes(kind) && !apikey,
    addresses: kind === 'email' && !addresses?.length,
    template: kind === 'json' && !template,
  }
  const issues = Object.entries(missing).flatMap(([path, is]) => (is ? [{ path: [path], message: 'Required' }] : []))
  if (issues.length) throw invalid(issues)
}

function ruleColumns({
  url: _url,
  apikey: _apikey,
  addresses: _addresses,
  escalate_to: _next,
  escalate_minutes: _minutes,
  min_score,
  groups,
  inventories: inventory_ids,
  views,
  verdicts,
  ...rules
}: ChannelChange) {
  return {
    ...rules,
    ...(min_score !== undefined && { min_score: min_score || null }),
    ...Object.fromEntries(
      Object.entries({ groups, inventories: inventory_ids, views, verdicts }).flatMap(([name, list]) =>
        list ? [[name, JSON.stringify([...new Set<string | number>(list)])]] : [],
      ),
    ),
  }
}

/** The rules of the first of a kind stay for the next address; waiting messages say that the channel was removed. */
export async function removeChannelRow(db: Db, channel: RouteName, by: By) {
  if (channel === 'email') throw invalid([{ path: ['channel'], message: 'Remove the contact e-mails instead' }])
  const { org_id } = by.actor
  const isSetting = settingsChannels.some((name) => name === channel)
  const [stored, audit] = await Promise.all([findChannels(db, org_id), readyAuditBy(db, by)])
  if (!isSetting && !stored.has(channel)) throw notFound('Route')
  const place = { org_id, channel }
  const write = isSetting ? writeChannel(db, place, await storedSecrets(by.env, {})) : deleteChannel(db, place)
  const statements = [dropBacklog(db, place), deleteEscalations(db, place), write]
  await audit(statements, { action: 'channel.remove', target: channel, detail: {} })
}
