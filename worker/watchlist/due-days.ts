import { sql, type SQL } from 'drizzle-orm'
import { listBodDays } from '../domain/decisions/due'
import { severities } from '../domain/scores/severity'
import { literal } from '../db/values'
import { isInKev, shared } from '../schema/vulns'

const bodDays = literal(JSON.stringify(listBodDays()))

/** The policies that make a day of what is monitored, of the row `g` of `orgs`. */
export const isDeciding = sql`g.due_policy IN ('bod_26_04', 'own')`

const letterRank = (place: number, least: string, most: string) =>
  sql.raw(`CASE substr(v.ssvc, ${place}, 1) WHEN '${least}' THEN 0 WHEN '${most}' THEN 2 ELSE 1 END`)

const findPlace = (severity: (typeof severities)[number]) => severities.indexOf(severity)
const bands = (base: string, hasCritical: boolean) =>
  `CASE ${hasCritical ? `WHEN ${base} >= 9 THEN ${findPlace('critical')} ` : ''}WHEN ${base} >= 7 THEN ${findPlace('high')} WHEN ${base} >= 4 THEN ${findPlace('medium')} ELSE ${findPlace('low')} END`
/** As domain/scores/severity's `vulnSeverity`: its place among the severities. */
export const severityRank = (v: 'v' | 'vulns') =>
  sql.raw(`CASE WHEN ${v}.is_malicious THEN ${findPlace('critical')} WHEN ${v}.cvss4 IS NOT NULL THEN ${bands(`${v}.cvss4`, true)} WHEN ${v}.cvss3 IS NOT NULL THEN ${bands(`${v}.cvss3`, true)}
  WHEN ${v}.cvss IS NOT NULL THEN ${bands(`${v}.cvss`, false)} WHEN ${v}.score IS NULL THEN ${findPlace('unscored')}
  WHEN ${v}.score >= 80 THEN ${findPlace('critical')} WHEN ${v}.score >= 60 THEN ${findPlace('high')} WHEN ${v}.score >= 40 THEN ${findPlace('medium')} ELSE ${findPlace('low')} END`)

/**
 * The day of a vulnerability `v` by the policy of the organization `g`, as domain/decisions/due decides it; null with another
 * policy. `since` is when it was found, in seconds. CISA's table counts from then or from the day in KEV, whichever was first.
 */
export function dueByPolicy({ since, exposure }: { since: SQL; exposure: SQL }) {
  const found = sql`coalesce(${since}, v.created_at)`
  const row = sql`((((v.kev_added_at IS NOT NULL) * 3 + ${exposure}) * 3 + ${letterRank(2, 'N', 'Y')}) * 3 + ${letterRank(3, 'P', 'T')})`
  const day = (from: SQL, days: SQL, place: SQL) =>
    sql`date(${from} + 86400 * json_extract(${days}, '$[' || ${place} || ']'), 'unixepoch')`
  return sql`CASE g.due_policy
    WHEN 'bod_26_04' THEN ${day(sql`min(${found}, coalesce(unixepoch(v.kev_added_at), ${found}))`, sql`${bodDays}`, row)}
    WHEN 'own' THEN ${day(found, sql`g.due_days`, sql`(${severityRank('v')} * 3 + ${exposure})`)} END`
}

const foundAt = sql`unixepoch(f.found_at)`
const knownSince = sql`(SELECT o.since FROM org_vulns o WHERE o.org_id = f.org_id AND o.vuln_id = f.vuln_id)`

/**
 * The day of a finding `f` of a vulnerability `v`: by its own inventory, and from when its organization first knew of the vulnerability,
 * as another version that is affected, too, gives no more time.
 */
export const findingDue = sql`(SELECT CASE g.due_policy WHEN 'cisa_kev' THEN v.kev_due_at ELSE ${dueByPolicy({
  since: sql`min(${foundAt}, coalesce(${knownSince}, ${foundAt}))`,
  exposure: sql`coalesce((SELECT 2 * e.is_exposed FROM public_exposures e
    WHERE e.org_id = f.org_id AND e.kind = 'inventory' AND e.item_id = f.inventory_id AND e.label = ''), 1)`,
})} END FROM orgs g WHERE g.id = f.org_id)`

/** Whether what CISA wrote into KEV is the day. */
export const followsKev = (org_id: number) =>
  sql`(SELECT g.due_policy FROM orgs g WHERE g.id = ${literal(org_id)}) = 'cisa_kev'`

/** The day of the row of `vulns` for the organization; null where nothing is due. */
export const dueDay = (org_id: number) => sql<string | null>`CASE WHEN ${followsKev(org_id)} THEN vulns.kev_due_at
  ELSE (SELECT o.due FROM org_vulns o WHERE o.org_id = ${literal(org_id)} AND o.vuln_id = vulns.id) END`

/** Rows of `id` and `due`, sorted by the day: of everybody's and of the organization's own. */
export function idsByDue(org_id: number, isDescending: boolean) {
  const org = literal(org_id)
  const isListed = sql`${followsKev(org_id)} AND kev_due_at IS NOT NULL AND state <> 'rejected'`
  return sql`SELECT id, kev_due_at AS due FROM vulns INDEXED BY vulns_by_wild
      WHERE is_in_the_wild = 1 AND ${shared} AND ${isInKev} = 1 AND ${isListed}
    UNION ALL SELECT id, kev_due_at FROM vulns INDEXED BY vulns_by_org WHERE org_id = ${org} AND ${isListed}
    UNION ALL SELECT vuln_id, due FROM org_vulns INDEXED BY org_vulns_by_due WHERE org_id = ${org} AND due IS NOT NULL AND NOT ${followsKev(org_id)}
    ORDER BY ${isDescending ? sql`2 DESC, 1 DESC` : sql`2, 1`}`
}
