import { inArray } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { Reason } from '../../domain/alerts/alert-judge'
import type { RouteName } from '../../domain/alerts/alert-rules'
import { findDue, utcMinute } from '../../domain/alerts/alert-times'
import { deliveries } from '../../schema/alerts'
import type { Taker } from '../plan/takers'

type Standing = Pick<
  typeof deliveries.$inferSelect,
  'channel' | 'status' | 'attempts' | 'next_attempt_at' | 'sent_at' | 'reported_in' | 'escalated_from'
>

/** When a route tells of what it takes: its quiet hours, its pace and its daily number. */
export const describeTimes = (taker: Taker | undefined, isUrgent: boolean, now: Date): Reason[] =>
  taker ? listTimes(taker, isUrgent, now).map((text) => ({ is_ok: true, text })) : []

function listTimes(taker: Taker, isUrgent: boolean, now: Date) {
  const { daily_max, used, told, most_told } = taker
  if (told >= most_told)
    return [`It told of ${told} today, the most that a mail route may: more stands in the next report`]
  if (isUrgent) return ['It is urgent: outside the daily number, the pace and the quiet hours']
  const { due } = findDue(taker, now)
  const held = used >= daily_max ? ': alerts that are not urgent are held for the next report' : ''
  return [
    ...(due > now ? [`It is not urgent: by its pace and quiet hours it leaves at ${utcMinute(stamp(due))}`] : []),
    ...(daily_max > 0 ? [`${used} of ${daily_max} a day are taken${held}`] : []),
  ]
}

/** Outcome of the messages of some alerts, in words by route. */
export async function findStanding(db: Db, alert_ids: number[], now: Date) {
  if (!alert_ids.length) return new Map<RouteName, Reason[]>()
  const { channel, status, attempts, next_attempt_at, sent_at, reported_in, escalated_from } = deliveries
  const found: Standing[] = await db
    .select({ channel, status, attempts, next_attempt_at, sent_at, reported_in, escalated_from })
    .from(deliveries)
    .where(inArray(deliveries.alert_id, alert_ids))
    .orderBy(deliveries.id)
  const byRoute = Map.groupBy(found, (message) => message.channel)
  return new Map([...byRoute].map(([route, messages]) => [route, describeAll(messages, now)] as const))
}

function describeAll(messages: Standing[], now: Date): Reason[] {
  const counts = Map.groupBy(messages, (message) => describeOne(message, now))
  return [...counts].map(([text, same]) => ({
    is_ok: same.every(({ status }) => status !== 'dead' && status !== 'suppressed'),
    text: same.length > 1 ? `${text} (${same.length} messages)` : text,
  }))
}

function describeOne({ status, attempts, next_attempt_at, sent_at, reported_in, escalated_from }: Standing, now: Date) {
  if (status === 'sent')
    return `Sent at ${utcMinute(sent_at ?? '')}${escalated_from && ', as nobody had acknowledged it'}`
  if (status === 'reported') return describeReport(reported_in)
  if (status === 'held') return 'Held for the next report, above the daily number'
  if (status === 'parked') return 'Kept until the channel works again'
  if (status === 'dead') return `Given up after ${attempts} ${attempts === 1 ? 'try' : 'tries'}`
  if (status === 'suppressed') return 'Not sent: its receiver or its organization was gone'
  if (attempts > 0)
    return `Tried ${attempts === 1 ? 'once' : `${attempts} times`}, next at ${utcMinute(next_attempt_at)}`
  return next_attempt_at > stamp(now) ? `Waits until ${utcMinute(next_attempt_at)}` : 'On its way'
}

function describeReport(reported_in: string | null) {
  if (!reported_in) return 'Told in a report'
  const [kind, period, page] = JSON.parse(reported_in) as [string, string, number]
  return `Stands in the ${kind} report of ${period}, page ${page}`
}
