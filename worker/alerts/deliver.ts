import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { VulnChange } from '../domain/change'
import type { Env } from '../env'
import { sendDue } from '../mail/drive'
import { stamp } from '../db/time'
import { orgs } from '../schema/orgs'
import { getVulnDetail } from '../vulns/detail/detail'
import { vulnChanges } from '../schema/vulns'
import { alertMail } from './mail'
import type { Alert } from './mail'
import { mayReceive } from './recipients'
import { alerts } from '../schema/alerts'

type Claimed = { id: number; alert_id: number; target: string; attempts: number }

/** Sends what is due of the alerts, but nothing to whom it is not for any more. */
export async function deliverDue(env: Env, db: Db, clock: () => Date) {
  await suppressUnwanted(db, clock())
  const read = new Map<number, Promise<Alert>>()
  return sendDue<Claimed>(
    env,
    db,
    {
      table: 'deliveries',
      columns: 'id, alert_id, target, attempts',
      compose: async ({ id, alert_id, target }) => {
        const alert = await (read.get(alert_id) ?? remember(read, alert_id, readAlert(db, alert_id, clock())))
        return alertMail(alert, { to: target, from: env.MAIL_FROM, app_url: env.APP_URL, delivery_id: id })
      },
    },
    clock,
  )
}

/** What was planned for an address that was removed since, or for an organization that is disabled, stays unsent. */
async function suppressUnwanted(db: Db, now: Date) {
  await db.run(sql`
    UPDATE deliveries SET status = 'suppressed', last_error = reasons.reason FROM (
      SELECT d.id, CASE WHEN o.is_active = 0 THEN 'The organization is disabled'
        WHEN o.trial_ends_at <= ${stamp(now)} THEN 'The trial is over' ELSE 'The address was removed' END AS reason
      FROM deliveries d JOIN orgs o ON o.id = d.org_id LEFT JOIN alert_settings s ON s.org_id = d.org_id
      WHERE d.status = 'pending' AND d.next_attempt_at <= ${stamp(now)} AND (
        o.is_active = 0 OR o.trial_ends_at <= ${stamp(now)} OR NOT EXISTS (
          SELECT 1 FROM json_each(s.alerts_emails) e WHERE lower(e.value) = d.target AND ${mayReceive}))
    ) AS reasons WHERE reasons.id = deliveries.id`)
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
    changes: JSON.parse(detail) as VulnChange[],
    vuln: await getVulnDetail(db, org_id, vuln_id, now),
  }
}
