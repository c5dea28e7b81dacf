import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'

/** Alerts and what became of them are kept for thirteen months: a year can be looked back on. */
export const alertDays = 400
const rowsPerRun = 20_000

/** Deliveries go with their alerts. Many organizations may have many: the rest goes the next day. */
export const pruneAlerts = (db: Db, now: Date) => {
  const before = stamp(plusSeconds(now, -alertDays * 86_400))
  return db.$client.batch([
    db.$client
      .prepare(
        `DELETE FROM alerts WHERE id IN (
           SELECT id FROM alerts WHERE created_at < ?1 ORDER BY id LIMIT ${rowsPerRun})`,
      )
      .bind(before),
    db.$client.prepare('DELETE FROM alert_proofs WHERE day < ?1').bind(before.slice(0, 10)),
  ])
}
