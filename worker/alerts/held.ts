import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { AlertRule, ChannelName } from '../domain/alert-rules'

export type HeldAlert = {
  id: number
  alert_id: number
  vuln_id: number
  channel: ChannelName
  rule: AlertRule
  at: string
}

/** A report counts all of them, and names so many. */
const maxHeld = 2_000

export async function findHeld(db: Db, org_id: number): Promise<HeldAlert[]> {
  const { results } = await db.$client
    .prepare(
      `SELECT d.id, d.alert_id, a.vuln_id, d.channel, d.rule, a.created_at AS at FROM deliveries d JOIN alerts a ON a.id = d.alert_id
       WHERE d.org_id = ?1 AND d.status = 'held' ORDER BY d.id LIMIT ${maxHeld}`,
    )
    .bind(org_id)
    .all<HeldAlert>()
  return results
}

export const orgsWithHeld = (db: Db) =>
  db.$client.prepare("SELECT DISTINCT org_id FROM deliveries WHERE status = 'held'").all<{ org_id: number }>()

/** Belongs in the batch that queues the report. */
export const reportHeld = (db: Db, org_id: number, up_to_id: number, now: Date) =>
  db.$client
    .prepare(
      "UPDATE deliveries SET status = 'reported', sent_at = ?3 WHERE org_id = ?1 AND status = 'held' AND id <= ?2",
    )
    .bind(org_id, up_to_id, stamp(now))
