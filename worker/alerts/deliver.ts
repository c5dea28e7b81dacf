import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Change } from '../domain/change'
import type { Env } from '../env'
import { retryMinutes } from '../mail/outbox'
import { openTransport } from '../mail/transport'
import { orgs } from '../orgs/tables'
import { getVulnDetail } from '../vulns/detail'
import { vulnChanges } from '../vulns/tables'
import { alertMail } from './mail'
import type { Alert } from './mail'
import { alerts } from './tables'

const batchSize = 10
/** Longer than sending a batch can take: only a worker that died leaves a lease to run out. */
const leaseSeconds = 300

type Claimed = { id: number; alert_id: number; target: string; attempts: number }

/** Sends what is due, a batch at a time; a mail that cannot be sent is tried again later. Answers how many were taken. */
export async function deliverDue(env: Env, db: Db, clock: () => Date) {
  const claimed = await claim(db, clock())
  if (!claimed.length) return 0

  const transport = openTransport(env)
  const read = new Map<number, Promise<Alert>>()
  try {
    for (const { id, alert_id, target, attempts } of claimed) {
      try {
        const alert = await (read.get(alert_id) ?? remember(read, alert_id, readAlert(db, alert_id, clock())))
        const where = { to: target, from: env.MAIL_FROM, app_url: env.APP_URL, delivery_id: id }
        await transport.send(await alertMail(alert, where))
        await recordSent(db, id, clock())
      } catch (error) {
        await recordFailed(db, { id, attempts }, error instanceof Error ? error.message : String(error), clock())
      }
    }
  } finally {
    await transport.close()
  }
  if (claimed.length === batchSize) await env.DELIVERIES.send({ reason: 'due' })
  return claimed.length
}

function remember<Value>(map: Map<number, Promise<Value>>, key: number, value: Promise<Value>) {
  map.set(key, value)
  return value
}

async function claim(db: Db, now: Date) {
  const { results } = await db.$client
    .prepare(
      `UPDATE deliveries SET status = 'sending', attempts = attempts + 1, lease_until = ?2 WHERE id IN (
         SELECT id FROM deliveries WHERE status = 'pending' AND next_attempt_at <= ?1
         UNION ALL SELECT id FROM deliveries WHERE status = 'sending' AND lease_until < ?1
         LIMIT ${batchSize}
       ) RETURNING id, alert_id, target, attempts`,
    )
    .bind(stamp(now), stamp(plusSeconds(now, leaseSeconds)))
    .all<Claimed>()
  return results
}

async function readAlert(db: Db, alert_id: number, now: Date): Promise<Alert> {
  const [row] = await db
    .select({
      id: alerts.id,
      rule: alerts.rule,
      org_id: alerts.org_id,
      vuln_id: alerts.vuln_id,
      org_name: orgs.name,
      detail: vulnChanges.detail,
    })
    .from(alerts)
    .innerJoin(orgs, eq(orgs.id, alerts.org_id))
    .innerJoin(vulnChanges, eq(vulnChanges.seq, alerts.change_seq))
    .where(eq(alerts.id, alert_id))
  if (!row) throw new Error(`Alert ${alert_id} is gone`)
  const { id, rule, org_name, org_id, vuln_id, detail } = row
  return {
    id,
    rule,
    org_name,
    changes: JSON.parse(detail) as Change[],
    vuln: await getVulnDetail(db, org_id, vuln_id, now),
  }
}

const recordSent = (db: Db, id: number, now: Date) =>
  db.$client
    .prepare("UPDATE deliveries SET status = 'sent', sent_at = ?2, lease_until = NULL, last_error = NULL WHERE id = ?1")
    .bind(id, stamp(now))
    .run()

async function recordFailed(db: Db, { id, attempts }: { id: number; attempts: number }, error: string, now: Date) {
  const minutes = retryMinutes[attempts - 1]
  await db.$client
    .prepare(
      `UPDATE deliveries SET status = ?2, lease_until = NULL, last_error = ?3, next_attempt_at = ?4 WHERE id = ?1`,
    )
    .bind(
      id,
      minutes === undefined ? 'dead' : 'pending',
      error.slice(0, 1000),
      stamp(plusSeconds(now, (minutes ?? 0) * 60)),
    )
    .run()
}

/** What the clock does for deliveries: asks for those that are due. */
export async function driveDeliveries(env: Env, db: Db, now: Date) {
  const due = await db.$client
    .prepare(
      `SELECT 1 AS due WHERE EXISTS (SELECT 1 FROM deliveries WHERE status = 'pending' AND next_attempt_at <= ?1)
       OR EXISTS (SELECT 1 FROM deliveries WHERE status = 'sending' AND lease_until < ?1)`,
    )
    .bind(stamp(now))
    .first()
  if (due) await env.DELIVERIES.send({ reason: 'due' })
}
