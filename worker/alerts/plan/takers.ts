import { sql, type Column } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { toDay } from '../../db/time'
import type { ChannelRules } from '../../domain/alerts/alert-judge'
import { findKind, type RouteName, type suppressions } from '../../domain/alerts/alert-rules'
import type { AlertTimes } from '../../domain/alerts/alert-times'
import { quotas } from '../../schema/triage'
import { alertChannels, alertEscalations, alertSettings, type deliveries } from '../../schema/alerts'
import { readLists } from '../channels/store'
import { mayReceive } from '../recipients'
import { findDutyAddress, findReachable } from '../rota/duty'
import type { Concern } from './concerns'

/** A channel of an organization, as planning sees it. */
export type Taker = ChannelRules &
  AlertTimes & {
    org_id: number
    channel: RouteName
    /** Addresses of mails; the other channels have one receiver. */
    targets: string[]
    /** Where its mails go to who is on duty. */
    rota?: string
    blocked: (typeof suppressions)[number] | null
    /** We switched it off, as its receiver failed. */
    is_off: boolean
    /** The route to which what nobody acknowledges goes on. */
    leads_to: RouteName | null
    daily_max: number
    /** How much of its daily number is gone. */
    used: number
    /** Of so many vulnerabilities it has told today, and of so many it may, urgent ones among them. */
    told: number
    most_told: number
  }

/** Messages of one organization cost all others: their mails go by the same account. More of them stand by name in its next report. On trial its routes share this. */
const mostTold = { paid: 2_000, trial: 200 }

export async function findTakers(db: Db, concerns: Pick<Concern, 'org_id'>[], now: Date) {
  const org_ids = JSON.stringify([...new Set(concerns.map(({ org_id }) => org_id))])
  const among = sql`(SELECT value FROM json_each(${org_ids}))`
  const [mails, others, used, escalations] = await db.batch([
    db
      .select({
        settings: alertSettings,
        addresses: confirmedIn(alertSettings, alertSettings.alerts_emails),
        is_trial: isOnTrial(alertSettings),
      })
      .from(alertSettings)
      .where(sql`org_id IN ${among}`),
    db
      .select({
        route: alertChannels,
        addresses: confirmedIn(alertChannels, alertChannels.addresses),
        is_trial: isOnTrial(alertChannels),
      })
      .from(alertChannels)
      .where(sql`org_id IN ${among} AND channel <> 'email' AND (secrets <> '' OR addresses <> '[]')`),
    db
      .select()
      .from(quotas)
      .where(sql`org_id IN ${among} AND day = ${toDay(now)}`),
    db
      .select()
      .from(alertEscalations)
      .where(sql`org_id IN ${among}`),
  ])
  const routes = [
    ...mails.map(({ settings, ...found }) => ({
      ...found,
      row: { ...settings, channel: 'email' as const, rota: '', disabled_at: null },
    })),
    ...others.map(({ route: row, ...found }) => ({ ...found, row })),
  ]
  const nextBy = new Map(escalations.map(({ org_id, channel, next }) => [`${org_id} ${channel}`, next]))
  const usedBy = new Map(used.map((row) => [`${row.org_id} ${row.name}`, row.used]))
  const onRota = routes.flatMap(({ row }) => (row.rota ? [row.org_id] : []))
  const reachable = await findReachable(db, onRota)
  const mostFor = shareMails(routes.map(({ row }) => row))
  const takers = routes.map(({ row, addresses, is_trial }): Taker => {
    const { org_id, channel } = row
    const on_duty = findDutyAddress(row.rota, reachable.get(org_id), now)
    const targets = !isMail(row) ? [''] : on_duty ? [on_duty] : (JSON.parse(addresses) as string[])
    const blocked = 'alerts_emails' in row && row.alerts_emails === '[]' ? 'no_recipient' : 'unconfirmed'
    return {
      ...row,
      ...readLists(row),
      targets,
      blocked: targets.length ? null : blocked,
      is_off: row.disabled_at !== null,
      leads_to: nextBy.get(`${org_id} ${channel}`) ?? null,
      used: usedBy.get(`${org_id} ${channel}`) ?? 0,
      told: usedBy.get(`${org_id} ${toldName(row)}`) ?? 0,
      most_told: mostFor(row, is_trial),
    }
  })
  return Map.groupBy(takers, ({ org_id }) => org_id)
}

type Routed = { org_id: number; channel: RouteName }

function shareMails(rows: Routed[]) {
  const mailRoutes = Map.groupBy(rows.filter(isMail), ({ org_id }) => org_id)
  return (row: Routed, is_trial: number) => {
    if (!isMail(row)) return Number.POSITIVE_INFINITY
    return is_trial ? Math.ceil(mostTold.trial / (mailRoutes.get(row.org_id)?.length ?? 1)) : mostTold.paid
  }
}

const isMail = ({ channel }: { channel: RouteName }) => findKind(channel) === 'email'

export const toldName = ({ channel }: Pick<Taker, 'channel'>) => `${channel} told`

const isOnTrial = ({ org_id }: { org_id: Column }) =>
  sql<number>`(SELECT o.trial_ends_at IS NOT NULL FROM (SELECT ${org_id} AS org_id) s, orgs o WHERE o.id = s.org_id)`.as(
    'is_trial',
  )

const confirmedIn = ({ org_id }: { org_id: Column }, addresses: Column) =>
  sql<string>`(SELECT json_group_array(DISTINCT lower(e.value)) FROM json_each(${addresses}) e,
    (SELECT ${org_id} AS org_id) s WHERE ${mayReceive})`.as('confirmed')

export type LastMessage = Pick<
  typeof deliveries.$inferSelect,
  'id' | 'alert_id' | 'channel' | 'target' | 'rule' | 'told' | 'status' | 'attempts'
>

export async function findLastMessages(db: Db, concerns: Concern[]) {
  const alert_ids = concerns.flatMap(({ alert_id }) => alert_id ?? [])
  if (!alert_ids.length) return new Map<string, LastMessage>()
  const found = await db.all<LastMessage>(sql`
    SELECT d.id, d.alert_id, d.channel, d.target, d.rule, d.told, d.status, d.attempts
    FROM json_each(${JSON.stringify(alert_ids)}) j CROSS JOIN deliveries d ON d.alert_id = j.value ORDER BY d.id`)
  return new Map(found.map((row) => [messageKey(row.alert_id, row.channel, row.target), row]))
}

export const messageKey = (alert_id: number, channel: RouteName, target: string) => `${alert_id} ${channel} ${target}`
