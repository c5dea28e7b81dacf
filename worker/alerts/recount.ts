import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { RouteName } from '../domain/alerts/alert-rules'

/** The proof expects as many messages as were planned. */
export const recount = (channel: RouteName, alert_ids: SQL) => sql`
  UPDATE alerts SET planned = json_set(planned, ${`$."${channel}"`}, (
    SELECT count(*) FROM deliveries d WHERE d.alert_id = alerts.id AND d.channel = ${channel}))
  WHERE id IN (${alert_ids}) AND EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = alerts.id AND d.channel = ${channel})`
