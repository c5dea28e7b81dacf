import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { channelNames, findKind, routeNumber, settingsChannels, usualDaily } from '../../domain/alerts/alert-rules'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { notFound } from '../../http/errors'
import { findUnconfirmed } from '../../orgs/alert-addresses'
import { alertChannels, alertEscalations, alertSettings } from '../../schema/alerts'
import { usualEscalateMinutes, type ChannelRow } from './contract'
import { findChannels, readHints, readLists, type StoredChannel } from './store'

/** The first of each kind that stands in the settings, set up or not. */
export const listStoredChannels = async (db: Db, org_id: number) =>
  (await listRouteRows(db, org_id)).slice(0, settingsChannels.length)

/** These, and all others. */
export async function listRouteRows(db: Db, org_id: number) {
  const listed = sql`(SELECT json_group_array(a.value) FROM alert_channels c CROSS JOIN json_each(c.addresses) a WHERE c.org_id = ${org_id})`
  const [email, channels, escalations, emails] = await Promise.all([
    getStoredSettings(db, org_id),
    findChannels(db, org_id),
    db.select().from(alertEscalations).where(eq(alertEscalations.org_id, org_id)),
    findUnconfirmed(db, org_id, listed),
  ])
  const unconfirmed = new Set(emails)
  const firsts: readonly RouteName[] = settingsChannels
  const others = [...channels.keys()].filter((route) => !firsts.includes(route))
  return [...firsts, ...others.sort((a, b) => routePlace(a) - routePlace(b))].map((channel): ChannelRow => {
    const row = toRow(channel, channels.get(channel), channel === 'email' ? email : undefined)
    const escalation = escalations.find((stored) => stored.channel === channel)
    return {
      ...row,
      unconfirmed: row.addresses.filter((address) => unconfirmed.has(address)),
      escalate_to: escalation?.next ?? '',
      escalate_minutes: escalation?.minutes ?? usualEscalateMinutes,
    }
  })
}

const routePlace = (route: RouteName) => channelNames.indexOf(findKind(route)) * 100 + routeNumber(route)

type Shown = 'unconfirmed' | 'escalate_to' | 'escalate_minutes'
type StoredSettings = typeof alertSettings.$inferSelect
const isSetUp = (row: StoredChannel | undefined) => row !== undefined && (row.secrets !== '' || row.addresses !== '[]')

async function getStoredSettings(db: Db, org_id: number) {
  const row = await db.select().from(alertSettings).where(eq(alertSettings.org_id, org_id)).get()
  if (!row) throw notFound('Organization')
  return row
}

type Rules = Pick<StoredChannel, keyof StoredChannel & keyof StoredSettings>
const columns = getTableColumns(alertChannels)
const ruleNames = Object.keys(columns).filter((name) => name !== 'org_id' && name in alertSettings) as (keyof Rules)[]
const pickRules = (row: Rules) => Object.fromEntries(ruleNames.map((name) => [name, row[name]])) as Rules

/** Defaults of the table; how many alerts a day depends on the kind. */
const { daily_max: _, ...usualRules } = Object.fromEntries(
  ruleNames.map((name) => [name, columns[name].default ?? null]),
) as Rules
export { usualRules }

function toRow(
  channel: RouteName,
  stored: StoredChannel | undefined,
  email: StoredSettings | undefined,
): Omit<ChannelRow, Shown> {
  const rules = pickRules(email ?? stored ?? { ...usualRules, daily_max: usualDaily[findKind(channel)] })
  const { url = '', apikey = '', key } = readHints(stored)
  return {
    channel,
    name: stored?.name ?? '',
    addresses: JSON.parse(stored?.addresses ?? '[]') as string[],
    template: stored?.template ?? '',
    is_configured: email ? email.alerts_emails !== '[]' : isSetUp(stored),
    url,
    apikey,
    signing: findKind(channel) === 'webhook' && key ? (key.startsWith('whsk_') ? 'ed25519' : 'hmac') : null,
    ...rules,
    ...readLists(rules),
    last_success_at: stored?.last_success_at ?? null,
    failing_since: stored?.failing_since ?? null,
    last_error: stored?.last_error ?? null,
    disabled_at: stored?.disabled_at ?? null,
  }
}
