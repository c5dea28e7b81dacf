import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { isVisible } from './visible'

/** Monitors vulnerabilities or stops, and answers which: what is not there, or another organization's, is passed over. */
export async function setVulnsMonitored(
  db: Db,
  org_id: number,
  ids: number[],
  { monitored, now }: { monitored: boolean; now: Date },
) {
  const seen = await db.all<{ id: number }>(
    sql`select vulns.id from json_each(${JSON.stringify([...new Set(ids)])}) j cross join vulns where vulns.id = j.value and ${isVisible(org_id)}`,
  )
  const set = seen.map(({ id }) => id)
  const json = JSON.stringify(set)
  const { $client } = db
  await $client.batch([
    monitored
      ? $client
          .prepare(
            `INSERT INTO monitored_vulns(org_id, vuln_id, created_at) SELECT ?2, value, ?3 FROM json_each(?1) WHERE true
             ON CONFLICT DO NOTHING`,
          )
          .bind(json, org_id, stamp(now))
      : $client
          .prepare('DELETE FROM monitored_vulns WHERE org_id = ?2 AND vuln_id IN (SELECT value FROM json_each(?1))')
          .bind(json, org_id),
    // The status starts anew with the monitoring (specification 2, section 4).
    $client
      .prepare('DELETE FROM vuln_statuses WHERE org_id = ?2 AND vuln_id IN (SELECT value FROM json_each(?1))')
      .bind(json, org_id),
  ])
  return { monitored, set }
}
