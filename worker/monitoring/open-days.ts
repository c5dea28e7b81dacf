import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp, toSeconds } from '../db/time'
import { verdictRank } from '../domain/versions/verdict'
import { countCap } from '../http/page'

const chartDays = 90
const bands = ['unscored', 'low', 'medium', 'high', 'critical'] as const
type OpenDay = Record<(typeof bands)[number], number> & { day: string }
/** Without the day on which it came it is not open. */
type Group = { band: number; came: string | null; gone: string | null; count: number }

/** Severity as the list has it: of the newest CVSS, else of our score. */
const band = sql`coalesce((coalesce(cvss4, cvss3) >= 4) + (coalesce(cvss4, cvss3) >= 7) + (coalesce(cvss4, cvss3) >= 9) + 1,
  (cvss >= 4) + (cvss >= 7) + 1, (score >= 40) + (score >= 60) + (score >= 80) + 1, 0)`

/**
 * Monitored vulnerabilities, by the days on which they were open: from when they could concern the organization until they
 * were settled. Null where they are too many to count.
 */
export async function findOpenDays(db: Db, org_id: number, now: Date): Promise<OpenDay[] | null> {
  const [safe, unknown] = [verdictRank('not_affected'), verdictRank('unknown')]
  const days = Array.from({ length: chartDays + 1 }, (_, at) =>
    stamp(plusSeconds(now, (at - chartDays) * 86_400)).slice(0, 10),
  )
  const found = await db.all<Group>(sql`
    SELECT ${band} AS band, CASE WHEN vulns.state <> 'rejected' AND coalesce(m.verdict, ${unknown}) > ${safe}
        THEN date(max(coalesce(m.since, vulns.created_at), ${toSeconds(days[0] ?? '')}), 'unixepoch') END AS came,
      (SELECT min(substr(s.decided_at, 1, 10)) FROM decisions s WHERE s.vuln_id = vulns.id AND s.org_id = ${org_id}
        AND s.scope = 'vulnerability' AND s.verdict IN ('fixed', 'not_interesting')) AS gone, count(*) AS count
    FROM (SELECT vuln_id, since, verdict FROM org_vulns WHERE org_id = ${org_id} LIMIT ${countCap + 1}) m
    CROSS JOIN vulns ON vulns.id = m.vuln_id GROUP BY 1, 2, 3`)
  if (found.reduce((sum, { count }) => sum + count, 0) > countCap) return null
  const counted = days.map((day) => countOpen(found, day))
  return counted.slice(counted.findIndex((one) => bands.some((name) => one[name] > 0)) >>> 0)
}

function countOpen(groups: Group[], day: string): OpenDay {
  const counts = { day, unscored: 0, low: 0, medium: 0, high: 0, critical: 0 }
  for (const { band: at, came, gone, count } of groups)
    if (came !== null && came <= day && (gone === null || gone > day)) counts[bands[at] ?? 'unscored'] += count
  return counts
}
