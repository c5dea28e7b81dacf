import { eq } from 'drizzle-orm'
import { batchSize, claimDue, recordFailed, recordSent } from '../db/leased'
import type { Db } from '../db/open'
import type { Change } from '../domain/change'
import type { Env } from '../env'
import { openTransport } from '../mail/transport'
import { orgs } from '../schema/orgs'
import { getVulnDetail } from '../vulns/detail/detail'
import { vulnChanges } from '../schema/vulns'
import { alertMail } from './mail'
import type { Alert } from './mail'
import { alerts } from '../schema/alerts'

type Claimed = { id: number; alert_id: number; target: string; attempts: number }

/** Sends what is due, a batch at a time; a mail that cannot be sent is tried again later. Answers how many were taken. */
export async function deliverDue(env: Env, db: Db, clock: () => Date) {
  const claimed = await claimDue<Claimed>(db, 'deliveries', 'id, alert_id, target, attempts', clock())
  if (!claimed.length) return 0

  const transport = openTransport(env)
  const read = new Map<number, Promise<Alert>>()
  try {
    for (const { id, alert_id, target, attempts } of claimed) {
      try {
        const alert = await (read.get(alert_id) ?? remember(read, alert_id, readAlert(db, alert_id, clock())))
        const where = { to: target, from: env.MAIL_FROM, app_url: env.APP_URL, delivery_id: id }
        await transport.send(await alertMail(alert, where))
        await recordSent(db, 'deliveries', id, clock())
      } catch (error) {
        await recordFailed(db, 'deliveries', { id, attempts, error }, clock())
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
