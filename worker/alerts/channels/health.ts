import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { findKind, urgentBits, type RouteName } from '../../domain/alerts/alert-rules'
import { findDue, findQuietEnd, type AlertTimes, type QuietTimes } from '../../domain/alerts/alert-times'
import type { Env } from '../../env'
import { notice } from '../../mail/notice'
import { queueForAdmins } from '../../mail/find-admins'
import { labelRoute } from './words'
import type { RoutePlace } from '../../schema/alerts'
import { retryMinutes } from '../../db/leases'
import { mailRetryMinutes } from '../../mail/refusal'

/** A receiver that took nothing for so long is not asked any more. */
const giveUpHours = 75
/** A success is noted at most so often. */
const noteSeconds = 600

type Receiver = RoutePlace & { target: string }

/** The first success after a time of failures sends all that waits for the same receiver: urgent alerts at once, others when its quiet hours are over. */
export async function noteSuccess(db: Db, { org_id, channel, target }: Receiver, now: Date) {
  const [at, before] = [stamp(now), stamp(plusSeconds(now, -noteSeconds))]
  const isIt = sql`org_id = ${org_id} AND channel = ${channel}`
  const [failing] = await db.$client.batch([
    statement(db, sql`SELECT 1 FROM alert_channels WHERE ${isIt} AND failing_since <= ${before}`),
    statement(
      db,
      sql`
    INSERT INTO alert_channels(org_id, channel, last_success_at) SELECT id, ${channel}, ${at} FROM orgs WHERE id = ${org_id}
    ON CONFLICT DO UPDATE SET last_success_at = excluded.last_success_at, failing_since = NULL, last_error = NULL
    WHERE coalesce(failing_since > ${before}, last_success_at IS NULL OR last_success_at < ${before})`,
    ),
  ])
  if (!failing?.results.length) return
  const quiet = await findQuiet(db, { org_id, channel })
  const quiet_end = quiet ? stamp(findQuietEnd(quiet, now)) : at
  const works = sql`UPDATE alert_channels SET last_success_at = ${at}, failing_since = NULL, last_error = NULL WHERE ${isIt}`
  await db.$client.batch([statement(db, resume({ org_id, channel, target }, { at, quiet_end })), statement(db, works)])
}

/** Waiting messages, and those given up since the failures began: once more, as the receiver may have been right to refuse it. */
const resume = ({ org_id, channel, target }: Receiver, { at, quiet_end }: { at: string; quiet_end: string }) => sql`
  UPDATE deliveries SET status = 'pending', next_attempt_at = iif(told & ${literal(urgentBits)} <> 0, ${at}, ${quiet_end}) WHERE id IN (
    SELECT d.id FROM alert_channels c CROSS JOIN deliveries d ON d.org_id = c.org_id AND d.channel = c.channel AND d.target = ${target}
    WHERE c.org_id = ${org_id} AND c.channel = ${channel}
      AND (d.status = 'pending' AND d.attempts > 0 AND d.next_attempt_at > ${at}
        OR d.status = 'dead' AND d.next_attempt_at >= c.failing_since AND d.attempts <= ${literal(triesFor(channel))}))`

export const findQuiet = (db: Db, { org_id, channel }: RoutePlace) => {
  const rules = channel === 'email' ? sql`alert_settings WHERE TRUE` : sql`alert_channels WHERE channel = ${channel}`
  return db.get<QuietTimes | undefined>(sql`SELECT quiet_from, quiet_to, zone FROM ${rules} AND org_id = ${org_id}`)
}

/** Since its receiver fails. */
const isGivenUp = ({ org_id, channel }: RoutePlace) => sql`(status = 'dead' AND next_attempt_at >= (
  SELECT c.failing_since FROM alert_channels c WHERE c.org_id = ${org_id} AND c.channel = ${channel}))`

/** For the batch in which a channel works again, or leads to another receiver, and before it: all that waits for it begins anew. A message never tried keeps its hour. */
export const sendBacklog = (db: Db, { org_id, channel }: RoutePlace, now: Date) =>
  statement(
    db,
    sql`UPDATE deliveries SET status = 'pending', attempts = 0,
        next_attempt_at = iif(status = 'pending' AND attempts = 0, next_attempt_at, ${stamp(now)})
      WHERE org_id = ${org_id} AND channel = ${channel} AND (status IN ('pending', 'parked') OR ${isGivenUp({ org_id, channel })})`,
  )

/** For the batch in which a person takes a channel away. */
export const dropBacklog = (db: Db, { org_id, channel }: RoutePlace) =>
  statement(
    db,
    sql`UPDATE deliveries SET status = 'suppressed', last_error = 'The channel was removed'
      WHERE org_id = ${org_id} AND channel = ${channel} AND status IN ('pending', 'parked')`,
  )

/** Before other secrets of a channel are written: messages that wait for it go to the new receiver, or nowhere. */
export const passBacklog = (db: Db, place: RoutePlace, secrets: string | undefined, now: Date) =>
  secrets === undefined ? [] : [secrets ? sendBacklog(db, place, now) : dropBacklog(db, place)]

/** For the batch in which a route gets other hours: a message never tried and not urgent waits by these. */
export function moveWaiting(db: Db, { org_id, channel }: RoutePlace, times: AlertTimes, now: Date) {
  const { due, isDigest } = findDue(times, now)
  return statement(
    db,
    sql`UPDATE deliveries SET next_attempt_at = ${stamp(due)}, digest = iif(${isDigest} OR digest <> '', ${stamp(due)}, '')
      WHERE org_id = ${org_id} AND channel = ${channel} AND status = 'pending' AND attempts = 0
        AND next_attempt_at > ${stamp(now)} AND told & ${literal(urgentBits)} = 0`,
  )
}

type Failing = RoutePlace & { message: string; isGone: boolean }

/** A receiver that is gone, or failed for too long, is switched off and its admins are told. */
export async function noteFailure(env: Env, db: Db, { org_id, channel, message, isGone }: Failing, now: Date) {
  const [row] = await db.all<{ failing_since: string; disabled_at: string | null }>(sql`
    INSERT INTO alert_channels(org_id, channel, failing_since, last_error)
    SELECT id, ${channel}, ${stamp(now)}, ${message.slice(0, 500)} FROM orgs WHERE id = ${org_id}
    ON CONFLICT DO UPDATE SET failing_since = coalesce(failing_since, excluded.failing_since), last_error = excluded.last_error
    RETURNING failing_since, disabled_at`)
  const isLong = row !== undefined && row.failing_since <= stamp(plusSeconds(now, -giveUpHours * 3_600))
  if (findKind(channel) !== 'email' && row?.disabled_at === null && (isGone || isLong))
    await switchOff(env, db, { org_id, channel, message, isGone }, now)
}

/** Messages that wait for it, and those given up since it fails, are kept until it works again. */
async function switchOff(env: Env, db: Db, { org_id, channel, message, isGone }: Failing, now: Date) {
  const mails = await queueForAdmins(
    db,
    org_id,
    (admin) => channelOffNotice(env, { ...admin, channel, message, isGone }),
    now,
  )
  await db.$client.batch([
    statement(
      db,
      sql`UPDATE deliveries SET status = 'parked' WHERE org_id = ${org_id} AND channel = ${channel}
        AND (status = 'pending' OR ${isGivenUp({ org_id, channel })})`,
    ),
    statement(
      db,
      sql`UPDATE alert_channels SET disabled_at = ${stamp(now)} WHERE org_id = ${org_id} AND channel = ${channel} AND disabled_at IS NULL`,
    ),
    ...mails,
  ])
}

type SwitchedOff = Omit<Failing, 'org_id'> & { to: string; org_name: string }

export const channelOffNotice = (env: Env, { to, org_name, channel, message, isGone }: SwitchedOff) =>
  notice({
    to,
    kind: 'channel_off',
    title: `${org_name}: alerts by ${labelRoute(channel)} are switched off`,
    paragraphs: [
      `The receiver ${isGone ? 'answered that it is gone' : `took nothing for ${giveUpHours} hours`}, so nothing is sent there for now. Its alerts are kept.`,
      `Its last answer: ${message.slice(0, 300)}`,
      'Mend the receiver or enter another address, then send a test: all that was kept goes there at once, urgent alerts first.',
    ],
    action: { label: 'Alert settings', url: `${env.APP_URL}/settings?tab=alerting` },
    footer: `This was sent to ${to} because you administer ${org_name} on Earshot.`,
  })

/** Seconds until the next attempt; ten attempts in 75 hours (Standard Webhooks 1.0). */
export const receiverRetries_s = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
const toSeconds = (minutes: readonly number[]) => minutes.map((some) => some * 60)
export const mailRetries_s = toSeconds(retryMinutes)
/** After this answer. */
export const retriesAfter = (channel: RouteName, message: string): readonly number[] =>
  findKind(channel) === 'email' ? toSeconds(mailRetryMinutes(message)) : receiverRetries_s
export const triesFor = (channel: RouteName) => retriesAfter(channel, '').length + 1
