import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { channelNames, findKind, routeNumber, settingsChannels, usualDaily } from '../../domain/alerts/alert-rules'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { usualMark } from '../../domain/scores/epss'
import { notFound } from '../../http/errors'
import { findUnconfirmed } from '../../orgs/alert-addresses'
import { alertEscalations, alertSettings } from '../../schema/alerts'
import { usualEscalateMinutes } from './contract'
import type { ChannelRow } from './contract'
import { findChannels, readHints, readLists } from './store'
import type { StoredChannel } from './store'

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

type Rules = Pick<StoredChannel, keyof StoredChannel & keyof StoredSettings>
const pickRules = (row: Rules) => Object.fromEntries(ruleNames.map((name) => [name, row[name]])) as Rules

async function getStoredSettings(db: Db, org_id: number) {
  const row = await db.select().from(alertSettings).where(eq(alertSettings.org_id, org_id)).get()
  if (!row) throw notFound('Organization')
  return row
}

export const usualRules: Omit<Rules, 'daily_max'> = {
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
  on_malicious: true,
  on_due: false,
  on_end_of_life: false,
  on_cra: true,
  on_score: false,
  score_value: 80,
  on_cvss: false,
  cvss_value: 8,
  on_cvss3: false,
  cvss3_value: 8,
  on_epss: false,
  epss_value: usualMark,
  min_score: null,
  groups: '[]',
  inventories: '[]',
  views: '[]',
  verdicts: '[]',
}
const ruleNames = [...Object.keys(usualRules), 'daily_max'] as (keyof Rules)[]

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
