import { sql, type SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { dueByPolicy, isDeciding } from './due-days'
import { isAtLeastLikely, isWatched, watchedAmong } from './monitored'

/** The change: vulnerabilities (their links, or when they were touched), or what an organization watches of those that a select names. */
type Rewatched = { cveids: string[] } | { vuln_ids: number[]; org_id?: number } | { org_id: number; vulns: SQL }

/**
 * Belongs in the batch that writes links, `vulns.updated_at` or watchlist items, behind the change. A row that stays writes nothing.
 * `risen` is how verdicts that rise are noted to be told (`orgVulns.risen`): those that a person brings about are told to nobody.
 */
export const rewatch = (db: Db, changed: Rewatched, risen?: SQL) => {
  const org_id = 'org_id' in changed ? changed.org_id : undefined
  const ofOrg = org_id === undefined ? sql`1` : sql`org_id = ${org_id}`
  return selections(changed).flatMap((ids) => [
    statement(
      db,
      sql`DELETE FROM org_vulns WHERE ${ofOrg} AND vuln_id IN (${ids}) AND NOT ${isWatched(sql`org_vulns.org_id`, sql`org_vulns.vuln_id`)}`,
    ),
    statement(db, putWatched(ids, org_id, risen)),
    ...(risen
      ? [
          statement(
            db,
            sql`INSERT INTO risen_verdicts(org_id, vuln_id) SELECT org_id, vuln_id FROM org_vulns
      WHERE ${ofOrg} AND vuln_id IN (${ids}) AND risen > 0 ON CONFLICT DO NOTHING`,
          ),
        ]
      : []),
  ])
}

/** Some route of the organization asks for verdicts. */
const asksForVerdicts = (
  org_id: SQL,
) => sql`(EXISTS (SELECT 1 FROM alert_settings s WHERE s.org_id = ${org_id} AND s.verdicts <> '[]')
  OR EXISTS (SELECT 1 FROM alert_channels s WHERE s.org_id = ${org_id} AND s.verdicts <> '[]'))`

const whereItRose = (risen: SQL) =>
  sql`iif(${isAtLeastLikely(sql`excluded.verdict`)} AND excluded.verdict > coalesce(org_vulns.verdict, 0) AND ${asksForVerdicts(sql`excluded.org_id`)},
    max(org_vulns.risen, ${risen}), org_vulns.risen)`

/** Rows that are watched already keep their `since`. Rows that a merge first writes are told by its entry of the log. */
const putWatched = (ids: SQL, org_id: number | undefined, risen?: SQL) => sql`
  WITH changed AS MATERIALIZED (SELECT id, updated_at, created_at FROM vulns WHERE id IN (${ids}))
  INSERT INTO org_vulns(org_id, vuln_id, touched, verdict, since, exposure, due, risen)
  SELECT w.org_id, w.vuln_id, w.touched, w.verdict, w.since, w.exposure,
    ${dueByPolicy({ since: sql`coalesce(o.since, w.since)`, exposure: sql`w.exposure` })},
    ${org_id === undefined || !risen ? sql`0` : sql`iif(${isAtLeastLikely(sql`w.verdict`)} AND ${asksForVerdicts(sql`w.org_id`)}, ${risen}, 0)`}
  FROM (${watchedAmong(sql`changed`, org_id)}) w LEFT JOIN orgs g ON g.id = w.org_id
  LEFT JOIN vulns v ON ${isDeciding} AND v.id = w.vuln_id
  LEFT JOIN org_vulns o ON ${isDeciding} AND o.org_id = w.org_id AND o.vuln_id = w.vuln_id WHERE TRUE
  ON CONFLICT DO UPDATE SET touched = excluded.touched, verdict = excluded.verdict, since = coalesce(org_vulns.since, excluded.since),
    exposure = excluded.exposure, due = excluded.due${risen ? sql`, risen = ${whereItRose(risen)}` : sql``}
  WHERE excluded.touched <> org_vulns.touched OR excluded.verdict IS NOT org_vulns.verdict
    OR excluded.exposure <> org_vulns.exposure OR excluded.due IS NOT org_vulns.due`

/** Of what the organization watches from behind a vulnerability to another one, after its policy changed. */
export const dueByNewPolicy = (db: Db, org_id: number, { after, to }: { after: number; to: number }) =>
  writeDue(
    db,
    sql`orgs g CROSS JOIN org_vulns o ON o.org_id = g.id AND o.vuln_id > ${after} AND o.vuln_id <= ${to}
      LEFT JOIN vulns v ON ${isDeciding} AND v.id = o.vuln_id WHERE g.id = ${org_id}`,
  )

/** Of vulnerabilities that say something else of what a policy decides by, also where that is no news. */
export const dueByNewFacts = (db: Db, changed: { cveids: string[] } | { vuln_ids: number[] }) =>
  selections(changed).map((ids) =>
    writeDue(
      db,
      sql`vulns v CROSS JOIN org_vulns o ON o.vuln_id = v.id CROSS JOIN orgs g ON g.id = o.org_id AND ${isDeciding} WHERE v.id IN (${ids})`,
    ),
  )

const writeDue = (db: Db, watched: SQL) =>
  statement(
    db,
    sql`UPDATE org_vulns SET due = n.due FROM (
        SELECT o.org_id, o.vuln_id, ${dueByPolicy({ since: sql`o.since`, exposure: sql`o.exposure` })} AS due FROM ${watched}) n
      WHERE org_vulns.org_id = n.org_id AND org_vulns.vuln_id = n.vuln_id AND org_vulns.due IS NOT n.due`,
  )

/** The ids of the vulnerabilities that are concerned, as selects of which each fits into one statement. */
function selections(changed: Rewatched): SQL[] {
  if ('vulns' in changed) return [changed.vulns]
  if ('cveids' in changed)
    return jsonChunks(changed.cveids).map(
      (json) => sql`SELECT v.id FROM jsonb_each(${json}) j CROSS JOIN vulns v ON v.cveid = j.value`,
    )
  return jsonChunks(changed.vuln_ids).map((json) => sql`SELECT value FROM jsonb_each(${json})`)
}
