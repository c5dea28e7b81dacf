import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { eachApart } from '../db/apart'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { decisions } from '../schema/decisions'
import { vulns } from '../schema/vulns'
import { followDecisions } from './components'
import { decidedJson } from './write'

/** So many inventories have their decisions end in a night; the others have the next. */
const maxEnded = 200

/** A decision counts to the end of its last day. */
export async function endDecisions(db: Db, now: Date) {
  const { scope, author, last_day, ended_at, epss_above, epss_percentile_above, vuln_id } = decisions
  const isOver = lt(last_day, stamp(now).slice(0, 10))
  const isOwn = and(eq(author, ''), isNull(ended_at))
  const ofVuln = eq(vulns.id, vuln_id)
  const epss = db.select({ epss: vulns.epss }).from(vulns).where(ofVuln)
  const percentile = db.select({ percentile: vulns.epss_percentile }).from(vulns).where(ofVuln)
  // An EPSS may rise without being news.
  const isAwake = and(
    isOwn,
    eq(scope, 'alerts'),
    or(isOver, lt(epss_above, epss), lt(epss_percentile_above, percentile)),
  )
  const isDone = and(isOwn, isOver, sql`${scope} IN ('vulnerability', 'request')`)
  await db.$client.batch([
    noteEnd(db, sql`(${isAwake}) OR (${isDone})`, now),
    // Their stored lists left out what the organization was done with.
    statement(
      db,
      sql`UPDATE inventories SET changes = changes + 1 WHERE (org_id, id) IN (SELECT m.org_id, m.inventory_id FROM decisions
        CROSS JOIN inventory_vulns m ON m.vuln_id = decisions.vuln_id AND m.org_id = decisions.org_id WHERE ${isDone})`,
    ),
    statement(
      db,
      db
        .update(decisions)
        .set({ ended_at: stamp(now), ended_by: sql`iif(${isOver}, 'date', 'epss')` })
        .where(isAwake),
    ),
    statement(db, db.delete(decisions).where(isDone)),
  ])
  await endOfComponents(db, and(isOver, eq(scope, 'component'), eq(author, '')) ?? sql`0`, now)
}

/** Decisions on an inventory that is kept aside stay, as nobody may watch anything through it. */
async function endOfComponents(db: Db, isEnded: SQL, now: Date) {
  const { org_id, inventory_id, vuln_id } = decisions
  const isRunning = sql`EXISTS (SELECT 1 FROM inventories i WHERE i.org_id = ${org_id} AND i.id = ${inventory_id} AND i.removed_at IS NULL)`
  const ended = await db
    .select({ org_id, inventory_id, vuln_ids: sql<string>`json_group_array(DISTINCT ${vuln_id})` })
    .from(decisions)
    .where(and(isEnded, isRunning))
    .groupBy(org_id, inventory_id)
    // Those that fail again and again must not stand before the others.
    .orderBy(sql`random()`)
    .limit(maxEnded)
  await eachApart(db, ended, async ({ vuln_ids, ...place }) => {
    const isHere = and(eq(org_id, place.org_id), eq(inventory_id, place.inventory_id), isEnded)
    await db.$client.batch([
      noteEnd(db, isHere ?? sql`0`, now),
      statement(db, db.delete(decisions).where(isHere)),
      ...followDecisions(db, place, JSON.parse(vuln_ids) as number[], now),
    ])
  })
}

const noteEnd = (db: Db, isEnded: SQL, now: Date) =>
  statement(
    db,
    sql`INSERT INTO decision_changes(org_id, vuln_id, scope, inventory_id, component_id, verdict, before, at, user_id)
      SELECT decisions.org_id, decisions.vuln_id, decisions.scope, decisions.inventory_id, decisions.component_id, NULL,
        ${sql.raw(decidedJson('decisions'))}, ${stamp(now)}, NULL FROM decisions WHERE ${isEnded}`,
  )

/** The history of decisions is kept for two years, as the audit log is; the decision itself stays. */
const historyDays = 730

/** Rows stand in order of time, so it reads what it removes and one more. */
export const pruneDecisionHistory = (db: Db, now: Date) =>
  db.run(sql`
    DELETE FROM decision_changes WHERE id < coalesce(
      (SELECT id FROM decision_changes WHERE at >= ${stamp(plusSeconds(now, -historyDays * 86_400))}
       ORDER BY id LIMIT 1), 9223372036854775807)`)
