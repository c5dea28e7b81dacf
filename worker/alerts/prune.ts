import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'

/** Thirteen months, so that a year can be looked back on. */
export const alertDays = 400
const rowsPerRun = 20_000

/** Deliveries go with their alerts; what is too much for one day goes the next. */
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
