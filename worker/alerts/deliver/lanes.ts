import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { tryTimeoutMs } from '../../db/leases'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { deliveries } from '../../schema/alerts'
import { findKind, urgentBits } from '../../domain/alerts/alert-rules'
import { findQuietEnd, type QuietTimes } from '../../domain/alerts/alert-times'
import { mailRetries_s, receiverRetries_s, retriesAfter } from '../channels/health'

type Delivery = typeof deliveries.$inferSelect
export type ClaimedDelivery = Pick<
  Delivery,
  'id' | 'alert_id' | 'org_id' | 'channel' | 'target' | 'rule' | 'attempts' | 'told' | 'digest' | 'escalated_from'
> & { lane: string; lease_until: string }

const isMail = sql`(channel = 'email' OR channel LIKE 'email-%')`
/** All mail goes to one server, what leaves together by itself; of the other routes each has its own receiver. */
const lane = sql`iif(NOT ${isMail}, channel || ' ' || org_id, iif(digest = '', 'email', channel || ' ' || org_id || ' ' || target || ' ' || digest))`

/** How much of a lane is taken at once; of channels that tell all in one message more. */
const perLane = { one: 10, all: 40 }
const perClaim = 60
/** A receiver that takes so long for a message is slow, and its lane stops after it. */
export const slow_ms = 2_000
/** Longer than a lane takes of which the last message is slow: only a worker that died leaves a lease to run out. */
const leaseSeconds = (perLane.one * slow_ms + tryTimeoutMs) / 1000 + 40
/** So much of what is due is looked at to choose from, or all of it where the look is wide. */
const window = 2_000
/** Urgent messages come first, then mail, and then organizations in an order that is another one each time: no backlog holds up that of others. */
const turns = 1_009

type Free = {
  healthy: number
  failing: number
  /** Sees the lanes behind a backlog, too, and mails of several alerts that were tried; it reads all that is due. */
  isWide: boolean
}
type Claim = { busy: string[]; free: Free; at: string }

/**
 * Lanes that already fail get `free.failing` places. A worker that died was sending the first row of a lane: the others lose no try.
 * Deliveries that leave together for the first time stay together: their first names the message.
 */
export async function claimLanes(db: Db, busy: string[], free: Free, now: Date) {
  const at = stamp(now)
  const lease_until = stamp(plusSeconds(now, leaseSeconds))
  const [, claimed] = await db.$client.batch<ClaimedDelivery>([
    statement(db, giveUp(db, at)),
    statement(
      db,
      sql`UPDATE deliveries SET status = 'sending', attempts = attempts + chosen.is_try, lease_until = ${lease_until},
          digest = iif(digest = '' OR instr(digest, '/'), digest, digest || '/' || chosen.first_id)
        FROM (${selectChosen({ busy, free, at })}) AS chosen WHERE chosen.id = deliveries.id
        RETURNING deliveries.id, alert_id, org_id, channel, target, rule, attempts, told, digest, escalated_from, lease_until, ${lane} AS lane`,
    ),
  ])
  return (claimed?.results ?? []).sort((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)) || a.id - b.id)
}

/** Deliveries that a dead worker was sending at their last attempt. */
function giveUp(db: Db, at: string) {
  const tries = sql`iif(${isMail}, ${literal(mailRetries_s.length)}, ${literal(receiverRetries_s.length)})`
  return db
    .update(deliveries)
    .set({ status: 'dead', lease_until: null, last_error: 'The worker ended while it was sent' })
    .where(and(eq(deliveries.status, 'sending'), lt(deliveries.lease_until, at), gt(deliveries.attempts, tries)))
}

const isUrgent = ({ told }: Pick<ClaimedDelivery, 'told'>) => (told & urgentBits) !== 0
const columns = sql`id, org_id, channel, digest, status, next_attempt_at, ${lane} AS lane, told & ${literal(urgentBits)} <> 0 AS is_urgent`
const selectDue = (at: string) => sql`
  SELECT ${columns} FROM deliveries WHERE status = 'pending' AND next_attempt_at <= ${at}
  UNION ALL SELECT ${columns} FROM deliveries WHERE status = 'sending' AND lease_until < ${at}`

/** Of the receiver of a delivery `d`; mails of others go on when one fails. */
const isFailing = sql`EXISTS (SELECT 1 FROM alert_channels c
  WHERE c.org_id = d.org_id AND c.channel = d.channel AND NOT ${isMail} AND c.failing_since IS NOT NULL)`
const urgentFirst = sql`ORDER BY is_urgent DESC, next_attempt_at, id`
/** Organizations share the lane of mails by rounds: the first of each, then the second of each. */
const inRounds = sql`ORDER BY is_urgent DESC, round, next_attempt_at, id`
/** A mail that was tried is taken whole: mail programs show the first of several under its id alone. */
const isSealed = sql`instr(digest, '/')`
const selectIdle = ({ busy, at, free }: Claim) => sql`
  SELECT *, row_number() OVER (PARTITION BY lane, org_id, is_urgent ORDER BY next_attempt_at, id) AS round FROM (
    SELECT * FROM (${selectDue(at)}) WHERE lane NOT IN (SELECT value FROM json_each(${JSON.stringify(busy)}))
    ${free.isWide ? sql`` : sql`AND NOT ${isSealed} LIMIT ${literal(window)}`})`
const selectSeen = (claim: Claim) =>
  claim.free.isWide
    ? sql`SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY lane ${inRounds}) AS seat FROM (${selectIdle(claim)}))
        WHERE seat <= ${literal(perLane.all)}`
    : selectIdle(claim)
const selectFree = (claim: Claim) => sql`SELECT d.*, ${isFailing} AS is_failing FROM (${selectSeen(claim)}) d`

const isTry = sql`(status = 'pending' OR row_number() OVER (PARTITION BY lane, status ${urgentFirst}) = 1)`
/** The place in its lane, and the place of its lane. */
const selectPlaced = (claim: Claim) => {
  const random = 1 + Math.floor(Math.random() * (turns - 1))
  const turn = sql`iif(${isMail}, -1, org_id * ${random} % ${literal(turns)})`
  return sql`
    SELECT id, channel, digest, is_failing, ${isTry} AS is_try, row_number() OVER (PARTITION BY lane ${inRounds}) AS place,
      first_value(id) OVER (PARTITION BY lane ${urgentFirst}) AS first_id,
      dense_rank() OVER (PARTITION BY is_failing ORDER BY has_urgent DESC, ${turn}, lane) AS lane_place
    FROM (SELECT *, max(is_urgent) OVER (PARTITION BY lane) AS has_urgent FROM (${selectFree(claim)}))`
}

const isTogether = sql.raw(`(digest <> '' OR substr(channel, 1, 5) IN ('slack', 'teams', 'matte'))`)
const laneLimit = sql`iif(${isTogether}, ${literal(perLane.all)}, ${literal(perLane.one)})`
const selectChosen = (claim: Claim) => sql`
  SELECT id, is_try, first_id FROM (
    SELECT *, row_number() OVER (ORDER BY NOT ${isSealed}, place) AS seat FROM (${selectPlaced(claim)})
    WHERE place <= ${laneLimit} AND lane_place <= iif(is_failing, ${claim.free.failing}, ${claim.free.healthy}))
  WHERE ${isSealed} OR seat <= ${literal(perClaim)}`

const isAmong = (claimed: ClaimedDelivery[]) =>
  inArray(
    deliveries.id,
    claimed.map(({ id }) => id),
  )

/** Still under the lease by which they were claimed: a later worker leaves them to the next who claimed them. */
const isHeld = (claimed: ClaimedDelivery[]) =>
  and(isAmong(claimed), eq(deliveries.status, 'sending'), eq(deliveries.lease_until, claimed[0]?.lease_until ?? ''))

export const recordTaken = (db: Db, claimed: ClaimedDelivery[], answer: string, now: Date) =>
  db
    .update(deliveries)
    // Sent again, it keeps the time of the first: a sealed day says when it was told.
    .set({
      status: 'sent',
      sent_at: sql`coalesce(${deliveries.sent_at}, ${stamp(now)})`,
      answer,
      lease_until: null,
      last_error: null,
    })
    .where(isAmong(claimed))
    .run()

/** Rows that were taken and not tried wait for the lane's next turn. */
export const releaseLane = (db: Db, claimed: ClaimedDelivery[]) =>
  db
    .update(deliveries)
    .set({ status: 'pending', attempts: sql`max(${deliveries.attempts} - 1, 0)`, lease_until: null })
    .where(isHeld(claimed))
    .run()

type Refusal = { message: string; answer: string | null; wait_s: number | null; quiet?: QuietTimes | undefined }

/** Adds up to a tenth of the wait, so that not all come at once, and the quiet hours of the route; answers the seconds until the first. */
export async function recordRefused(db: Db, claimed: ClaimedDelivery[], refusal: Refusal, now: Date) {
  const rows = claimed.map(({ id, channel, attempts, told }) => {
    const pause_s = retriesAfter(channel, refusal.message)[attempts - 1]
    if (pause_s === undefined) return { id, status: 'dead', wait_s: 0 }
    const jitter = findKind(channel) === 'email' ? 1 : 1 + Math.random() / 10
    const next = plusSeconds(now, Math.ceil(Math.max(pause_s * jitter, refusal.wait_s ?? 0)))
    const at = refusal.quiet && !isUrgent({ told }) ? findQuietEnd(refusal.quiet, next) : next
    return { id, status: 'pending', wait_s: (at.getTime() - now.getTime()) / 1000 }
  })
  const entries = rows.map(({ id, status, wait_s }) => [id, status, stamp(plusSeconds(now, wait_s))])
  await db.run(sql`
    UPDATE deliveries SET status = e.value ->> 1, next_attempt_at = e.value ->> 2, lease_until = NULL,
      last_error = ${refusal.message.slice(0, 1_000)}, answer = ${refusal.answer}
    FROM json_each(${JSON.stringify(entries)}) e WHERE deliveries.id = e.value ->> 0 AND ${isHeld(claimed)}`)
  const waits = rows.filter(({ status }) => status === 'pending').map(({ wait_s }) => wait_s)
  return waits.length ? Math.min(...waits) : null
}

export const recordUnwanted = (db: Db, claimed: ClaimedDelivery[], reason: string) =>
  db
    .update(deliveries)
    .set({ status: 'suppressed', lease_until: null, last_error: reason })
    .where(isHeld(claimed))
    .run()
