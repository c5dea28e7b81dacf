import { and, eq, isNull, lt, or, sql, type SQL } from 'drizzle-orm'
import { eachApart } from '../db/apart'
import type { Db } from '../db/open'
import { prune } from '../db/prune'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { literal, pairsTable } from '../db/values'
import { decisionChanges, decisions } from '../schema/decisions'
import { vulns } from '../schema/vulns'
import { followDecisions } from './components'
import { decidedJson } from './write'

/** Decisions of a step: while the database ends all that somebody made at once, nobody else asks it anything. */
const perStep = 2_000
/** Inventories of a step. */
const maxPlaces = 200

/** A decision counts to the end of its last day. Answers 'more' where some are left. */
export async function endDecisions(db: Db, now: Date) {
  const { scope, author, last_day, ended_at, epss_above, epss_percentile_above, vuln_id } = decisions
  const isOver = lt(last_day, stamp(now).slice(0, 10))
  const isOwn = and(eq(author, ''), isNull(ended_at))
  const ofVuln = eq(vulns.id, vuln_id)
  const epss = db.select({ epss: vulns.epss }).from(vulns).where(ofVuln)
  const percentile = db.select({ percentile: vulns.epss_percentile }).from(vulns).where(ofVuln)
  // An EPSS may rise without being news.
  const isAwake = isOfStep(
    and(isOwn, eq(scope, 'alerts'), or(isOver, lt(epss_above, epss), lt(epss_percentile_above, percentile))),
  )
  const isDone = isOfStep(and(isOwn, isOver, sql`${scope} IN ('vulnerability', 'request')`))
  const ended = await db.$client.batch([
    noteEnd(db, isAwake, now),
    noteEnd(db, isDone, now),
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
  const isLeft = ended.some(({ meta }) => meta.changes >= perStep)
  const ofComponents = and(isOver, eq(scope, 'component'), eq(author, '')) ?? sql`0`
  const left = await endOfComponents(db, ofComponents, now).catch((error: unknown) => {
    // The last step says so.
    if (!isLeft) throw error
  })
  return isLeft ? 'more' : left
}

const key = sql.raw(
  ['vuln_id', 'org_id', 'scope', 'inventory_id', 'component_id', 'author'].map((name) => `decisions.${name}`).join(),
)
const isOfStep = (isEnded?: SQL) =>
  sql`(${key}) IN (SELECT ${key} FROM decisions WHERE ${isEnded} LIMIT ${literal(perStep)})`

/** Decisions on an inventory that is kept aside stay, as nobody may watch anything through it. */
async function endOfComponents(db: Db, isEnded: SQL, now: Date) {
  const { org_id, inventory_id, vuln_id, component_id } = decisions
  const isRunning = sql`EXISTS (SELECT 1 FROM inventories i WHERE i.org_id = ${org_id} AND i.id = ${inventory_id} AND i.removed_at IS NULL)`
  const places = await db
    .select({ org_id, inventory_id })
    .from(decisions)
    .where(and(isEnded, isRunning))
    .groupBy(org_id, inventory_id)
    // Those that fail again and again must not stand before the others.
    .orderBy(sql`random()`)
    .limit(maxPlaces)
  let isLeft = places.length === maxPlaces
  const left = await eachApart(db, places, async (place) => {
    const isHere = and(eq(org_id, place.org_id), eq(inventory_id, place.inventory_id), isEnded)
    const step = await db.select({ vuln_id, component_id }).from(decisions).where(isHere).limit(perStep)
    isLeft ||= step.length === perStep
    const pairs = pairsTable(step.map((one) => [one.vuln_id, one.component_id]))
    const isOfPlace = sql`${isHere} AND (vuln_id, component_id) IN ${pairs}`
    await db.$client.batch([
      noteEnd(db, isOfPlace, now),
      statement(db, db.delete(decisions).where(isOfPlace)),
      ...followDecisions(db, place, step, now),
    ])
  })
  return isLeft ? 'more' : left
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

export function pruneDecisionHistory(db: Db, now: Date) {
  const isOld = lt(decisionChanges.at, stamp(plusSeconds(now, -historyDays * 86_400)))
  return prune(db, [{ table: decisionChanges, key: [decisionChanges.id], isOld, isOrdered: true }])
}
