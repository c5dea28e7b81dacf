import type { Db } from '../db/open'
import { retryMinutes, tryTimeoutMs } from '../db/leases'
import { plusSeconds, stamp } from '../db/time'
import type { AlertRule, ChannelName } from '../domain/alert-rules'

export type ClaimedDelivery = {
  id: number
  alert_id: number
  org_id: number
  channel: ChannelName
  target: string
  rule: AlertRule
  attempts: number
  lane: string
}

/** All mail goes to one server; of the other channels each organization has its own receiver. */
const lane = "iif(channel = 'email', 'email', channel || ' ' || org_id)"

/** Seconds until the next attempt; ten attempts in 75 hours (Standard Webhooks 1.0). */
export const receiverRetries_s = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
const mailRetries_s = retryMinutes.map((minutes) => minutes * 60)
const retries = (channel: ChannelName): readonly number[] => (channel === 'email' ? mailRetries_s : receiverRetries_s)

/** How much of a lane is taken at once; of channels that tell all in one message more. */
const perLane = { one: 10, all: 40 }
const perClaim = 60
/** A receiver that takes so long for a message is slow, and its lane stops after it. */
export const slow_ms = 2_000
/** Longer than a lane takes of which the last message is slow: only a worker that died leaves a lease to run out. */
const leaseSeconds = (perLane.one * slow_ms + tryTimeoutMs) / 1000 + 40
/** So much of what is due is looked at to choose from. */
const window = 2_000
/** Mail comes first, and then organizations in an order that is another one each time: no backlog holds up that of others. */
const turns = 1_009
const turn = `iif(channel = 'email', -1, org_id * ?6 % ${turns})`

const due = `SELECT id, org_id, channel, status, next_attempt_at, ${lane} AS lane FROM deliveries WHERE status = 'pending' AND next_attempt_at <= ?1
   UNION ALL SELECT id, org_id, channel, status, next_attempt_at, ${lane} AS lane FROM deliveries WHERE status = 'sending' AND lease_until < ?1`

type Free = { healthy: number; failing: number }

/** Lanes that already fail get `free.failing` places. A worker that died was sending the first row of a lane: the others lose no try. */
export async function claimLanes(db: Db, busy: string[], free: Free, now: Date) {
  const [, claimed] = await db.$client.batch<ClaimedDelivery>([
    db.$client
      .prepare(
        `UPDATE deliveries SET status = 'dead', lease_until = NULL, last_error = 'The worker ended while it was sent'
         WHERE status = 'sending' AND lease_until < ?1
           AND attempts > iif(channel = 'email', ${mailRetries_s.length}, ${receiverRetries_s.length})`,
      )
      .bind(stamp(now)),
    db.$client
      .prepare(
        `UPDATE deliveries SET status = 'sending', attempts = attempts + chosen.is_try, lease_until = ?2 FROM (
           SELECT id, is_try FROM (
             SELECT id, channel, is_failing,
               status = 'pending' OR row_number() OVER (PARTITION BY lane, status ORDER BY next_attempt_at, id) = 1 AS is_try, row_number() OVER (PARTITION BY lane ORDER BY next_attempt_at, id) AS place,
               dense_rank() OVER (PARTITION BY is_failing ORDER BY ${turn}, lane) AS lane_place
             FROM (
               SELECT d.*, EXISTS (SELECT 1 FROM alert_channels c WHERE c.org_id = d.org_id AND c.channel = d.channel
                 AND d.channel <> 'email' AND c.failing_since IS NOT NULL) AS is_failing
               FROM (${due}) d WHERE lane NOT IN (SELECT value FROM json_each(?3)) LIMIT ${window}))
           WHERE place <= iif(channel IN ('slack', 'teams'), ${perLane.all}, ${perLane.one}) AND lane_place <= iif(is_failing, ?5, ?4)
           ORDER BY place LIMIT ${perClaim}) AS chosen WHERE chosen.id = deliveries.id
         RETURNING deliveries.id, alert_id, org_id, channel, target, rule, attempts, ${lane} AS lane`,
      )
      .bind(
        stamp(now),
        stamp(plusSeconds(now, leaseSeconds)),
        JSON.stringify(busy),
        free.healthy,
        free.failing,
        1 + Math.floor(Math.random() * (turns - 1)),
      ),
  ])
  return (claimed?.results ?? []).sort((a, b) => a.id - b.id)
}

const inIds = 'where id in (select value from json_each(?1))'
const listIds = (claimed: ClaimedDelivery[]) => JSON.stringify(claimed.map(({ id }) => id))

export const recordTaken = (db: Db, claimed: ClaimedDelivery[], answer: string, now: Date) =>
  db.$client
    .prepare(
      `UPDATE deliveries SET status = 'sent', sent_at = ?2, answer = ?3, lease_until = NULL, last_error = NULL ${inIds}`,
    )
    .bind(listIds(claimed), stamp(now), answer)
    .run()

/** Rows that were taken and not tried wait for the lane's next turn. */
export const releaseLane = (db: Db, claimed: ClaimedDelivery[]) =>
  db.$client
    .prepare(`UPDATE deliveries SET status = 'pending', attempts = max(attempts - 1, 0), lease_until = NULL ${inIds}`)
    .bind(listIds(claimed))
    .run()

type Refusal = { message: string; answer: string | null; wait_s: number | null }

/** Adds up to a tenth of the wait, so that not all come at once; answers the seconds until the first. */
export async function recordRefused(db: Db, claimed: ClaimedDelivery[], refusal: Refusal, now: Date) {
  const rows = claimed.map(({ id, channel, attempts }) => {
    const pause_s = retries(channel)[attempts - 1]
    if (pause_s === undefined) return { id, status: 'dead', wait_s: 0 }
    const jitter = channel === 'email' ? 1 : 1 + Math.random() / 10
    return { id, status: 'pending', wait_s: Math.max(pause_s * jitter, refusal.wait_s ?? 0) }
  })
  const entries = rows.map(({ id, status, wait_s }) => [id, status, stamp(plusSeconds(now, Math.ceil(wait_s)))])
  await db.$client
    .prepare(
      `UPDATE deliveries SET status = e.value ->> 1, next_attempt_at = e.value ->> 2, lease_until = NULL, last_error = ?2, answer = ?3
       FROM json_each(?1) e WHERE deliveries.id = e.value ->> 0`,
    )
    .bind(JSON.stringify(entries), refusal.message.slice(0, 1_000), refusal.answer)
    .run()
  const waits = rows.filter(({ status }) => status === 'pending').map(({ wait_s }) => wait_s)
  return waits.length ? Math.min(...waits) : null
}

export const recordUnwanted = (db: Db, claimed: ClaimedDelivery[], reason: string) =>
  db.$client
    .prepare(`UPDATE deliveries SET status = 'suppressed', lease_until = NULL, last_error = ?2 ${inIds}`)
    .bind(listIds(claimed), reason)
    .run()
