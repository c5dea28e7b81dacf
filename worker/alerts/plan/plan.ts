import { gt, sql, type SQL } from 'drizzle-orm'
import { abort, abortUnless, isAborted } from '../../db/guard'
import type { Db } from '../../db/open'
import { writeAll } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal, valuesTable } from '../../db/values'
import type { Env } from '../../env'
import { vulnChanges } from '../../schema/vulns'
import { findAskedContext, findCrowded } from '../judge-context'
import { findBrought, findChanged, type ChangedVuln } from './changed-vulns'
import { findConcerned, findConcerns, type PlannedRun, type RunOf } from './concerns'
import { decidePlan } from './decide'
import { tellFirstDocuments } from './first-documents'
import { leapOrgs } from '../../exposure/note-due'
import { planRisen, risenRows } from './risen-verdicts'
import { findLastMessages, findTakers } from './takers'
import { claimRun, findReady, holdBack, releaseRun } from './waits'
import { writePlan } from './write-plan'

type FailedOrgs = Map<number, unknown>

/** Changes planned at once, fewer where they concern many; the next message or the clock plans the rest. */
const maxChanges = 500
const maxConcerns = 20_000
/** Changes within so many seconds after an alert join it. */
export const joinSeconds = 600
/** Somebody else plans, or sends what was to tell more, while one plans: then once more. */
const tries = 3
/** Organizations whose own runs go on at once. */
const lanes = 4
/** An invocation may ask D1 a thousand times: after so many queries no run begins, and further messages go on, one for so many organizations. */
const maxQueries = 400
/** Of these the views of organizations may take so many in a run over all; organizations beyond have runs of their own. */
const maxOfViews = 100
const orgsPerMessage = 50
const maxMessages = 4

const lastAfter = (seq: SQL, count: number) => sql`(SELECT max(seq) FROM (
  SELECT seq FROM vuln_changes WHERE seq > ${seq} ORDER BY seq LIMIT ${literal(count)}))`

/**
 * One batch writes alerts (one per organization, vulnerability and run of changes), deliveries and the mark: run twice, it plans nothing
 * twice. A vulnerability that a change first ties to what an organization monitors is new to that organization. Organizations whose
 * verdicts are still to be found are held back and have runs of their own; if one of these fails, the others go on without it.
 * If the run over all fails, each that it concerns has one.
 */
export async function planAlerts(db: Db, now: Date, failed: FailedOrgs = new Map()) {
  let planned = 0
  const planOwn = async (org_id: number, plan: typeof planWaiting) => {
    try {
      planned += await insistOn(() => plan(db, org_id, now))
    } catch (error) {
      failed.set(org_id, error)
    }
  }
  const ready = await findReady(db, now, [...failed.keys()])
  const brought = await findBroughtTo(db, [...failed.keys(), ...ready])
  const runs = [
    ...ready.map((org_id) => async () => {
      if (!(await claimRun(db, org_id, now))) return
      await planOwn(org_id, planWaiting)
      if (failed.has(org_id)) await releaseRun(db, org_id)
    }),
    ...brought.map((org_id) => () => planOwn(org_id, planBrought)),
  ]
  const lane = async () => {
    for (let run = runs.shift(); run; run = isSpent(db) ? undefined : runs.shift()) await run()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const up_to = await insistOn(() => planOthers(db, now, (count) => (planned += count))).catch((error: unknown) =>
    holdAllBack(db, now, error),
  )
  // Verdicts of who was held back may stand by now, and nobody may come to tell so.
  const left = [...(await findReady(db, now, [...failed.keys()])), ...(await findBroughtTo(db, [...failed.keys()]))]
  if (up_to === null || left.length) return { planned, left: left.length }
  const { seq } = vulnChanges
  const next = await db.select({ seq }).from(vulnChanges).where(gt(seq, up_to)).limit(1)
  return { planned, left: next.length }
}

const isSpent = (db: Db) => db.meter.queries > maxQueries

async function insistOn<Result>(work: () => Promise<Result>) {
  for (let left = tries - 1; ; left--) {
    try {
      return await work()
    } catch (error) {
      if (left === 0) throw error
    }
  }
}

/** Answers up to where is planned; null when nothing is left. */
async function planOthers(db: Db, now: Date, count: (planned: number) => void) {
  for (let size = maxChanges; ; size = Math.ceil(size / 4)) {
    const run = await findNextRun(db, now, size)
    if (!run) return null
    const scene = await readScene(db, run, await findChanged(db, run), size === 1 ? -1 : maxConcerns)
    if (!scene) continue
    const plan = decidePlan(scene)
    await writeAll(db, [moveMark(run), holdBack({ ...run, held: scene.held }), ...writePlan(plan, run.at)])
    count(plan.alerts.length)
    return run.up_to
  }
}

/** Something of one organization made the run over all fail, and nobody can tell whose: each has a run of its own. */
async function holdAllBack(db: Db, now: Date, error: unknown) {
  const run = isAborted(error, 'alerts planned') ? null : await findNextRun(db, now, maxChanges)
  const concerned = run ? await findConcerned(db, await findChanged(db, run)) : []
  if (!run || !concerned.length) throw error
  await writeAll(db, [moveMark(run), holdBack({ ...run, held: concerned.map(({ org_id }) => org_id) })])
  return run.up_to
}

async function findNextRun(db: Db, now: Date, size: number) {
  const [mark] = await db.all<{ planned_to: number; up_to: number | null }>(sql`
    SELECT c.value AS planned_to, ${lastAfter(sql`c.value`, size)} AS up_to FROM counters c WHERE c.name = 'alerts_planned_to'`)
  return mark?.up_to ? { planned_to: mark.planned_to, up_to: mark.up_to, ...toRun('others', now) } : null
}

const moveMark = ({ planned_to, up_to }: { planned_to: number; up_to: number }) => sql`
  UPDATE counters SET value = CASE WHEN value = ${planned_to} THEN ${up_to} ELSE ${abort('alerts planned')} END
  WHERE name = 'alerts_planned_to'`

/** Changes planned for the others meanwhile. */
async function planWaiting(db: Db, org_id: number, now: Date) {
  const [mark] = await db.all<{ planned_to: number; up_to: number }>(sql`
    SELECT w.planned_to, min(c.value, coalesce(${lastAfter(sql`w.planned_to`, maxChanges)}, c.value)) AS up_to
    FROM alert_waits w CROSS JOIN counters c ON c.name = 'alerts_planned_to' WHERE w.org_id = ${org_id}`)
  if (!mark) return 0
  const changed = await findChanged(db, mark)
  const scene = await readScene(db, toRun({ org_id }, now), changed, -1)
  if (!scene) return 0
  const plan = decidePlan(scene)
  const waiting = sql`SELECT 1 FROM alert_waits WHERE org_id = ${org_id} AND planned_to = ${mark.planned_to}`
  await writeAll(db, [
    abortUnless(sql`EXISTS (${waiting})`, 'alerts planned'),
    sql`UPDATE alert_waits SET planned_to = ${mark.up_to}, leased_until = NULL WHERE org_id = ${org_id}`,
    ...writePlan(plan, stamp(now)),
    sql`DELETE FROM alert_waits WHERE org_id = ${org_id}
      AND planned_to >= (SELECT value FROM counters WHERE name = 'alerts_planned_to')`,
  ])
  return plan.alerts.length
}

/** Organizations of a run to which documents or verdicts brought something, in no order: those with a backlog must not stand before the others. */
const maxBrought = 20

async function findBroughtTo(db: Db, others: number[]) {
  const found = await db.all<{ org_id: number }>(sql`
    SELECT org_id FROM (SELECT org_id FROM (${leapOrgs(sql`inventory_vulns WHERE is_untold = 1`)})
      UNION SELECT org_id FROM (${leapOrgs(sql`risen_verdicts WHERE TRUE`)}) o WHERE EXISTS (SELECT 1 FROM ${risenRows} AND n.org_id = o.org_id))
    WHERE org_id NOT IN ${valuesTable(others)} ORDER BY random() LIMIT ${literal(maxBrought)}`)
  return found.map(({ org_id }) => org_id)
}

/** Vulnerabilities that documents brought alert as if they had just been published; then come those of which verdicts rose. */
async function planBrought(db: Db, org_id: number, now: Date) {
  const { ids, changed } = await findBrought(db, org_id)
  if (!ids.length) return planRisen(db, org_id, now)
  const run = toRun({ org_id }, now)
  const scene = await readScene(db, run, changed, -1)
  if (!scene) return 0
  const plan = decidePlan(scene)
  const brought = sql`org_id = ${org_id} AND is_untold = 1 AND vuln_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
  await writeAll(db, [
    // Somebody else may have planned them since our reading.
    abortUnless(
      sql`(SELECT count(DISTINCT vuln_id) FROM inventory_vulns WHERE ${brought}) = ${ids.length}`,
      'alerts planned',
    ),
    ...writePlan(plan, run.at),
    sql`UPDATE inventory_vulns SET is_untold = 0 WHERE ${brought}`,
  ])
  return plan.alerts.length
}

const toRun = (whose: RunOf, now: Date): PlannedRun => ({
  whose,
  at: stamp(now),
  joined_since: stamp(plusSeconds(now, -joinSeconds)),
})

/** Null where it concerns more than `limit`. */
async function readScene(db: Db, run: PlannedRun, changed: Map<number, ChangedVuln>, limit: number) {
  const found = changed.size ? await findConcerns(db, changed, run, limit) : { concerns: [], held: [] }
  if (found.concerns.length === limit) return null
  const takers = await findTakers(db, found.concerns, new Date(run.at))
  const crowded = new Set(run.whose === 'others' ? await findCrowded(db, takers, maxOfViews) : [])
  const concerns = found.concerns.filter(({ org_id }) => !crowded.has(org_id))
  const held = [...found.held, ...crowded]
  const [contexts, messages] = await Promise.all([
    findAskedContext(db, takers, concerns, new Date(run.at)),
    findLastMessages(db, concerns),
  ])
  return { now: new Date(run.at), changed, concerns, held, takers, contexts, messages }
}

export async function planAndDrive(env: Env, db: Db, now: Date) {
  const [summaries] = await Promise.allSettled([tellFirstDocuments(env, db, now)])
  if (summaries.status === 'rejected' || summaries.value) await env.DELIVERIES.send({ reason: 'due' })
  const failed: FailedOrgs = new Map()
  for (let left = 1; left > 0;) {
    const found = await planAlerts(db, now, failed)
    if (found.planned) await env.DELIVERIES.send({ reason: 'due' })
    left = found.left
    if (!isSpent(db)) continue
    const messages = Math.min(Math.ceil(left / orgsPerMessage), maxMessages)
    for (let sent = 0; sent < messages; sent++) await env.ALERTS.send({ reason: 'judged' })
    break
  }
  const [first] = failed
  if (first) throw new Error(`The alerts of organization ${first[0]} were not planned`, { cause: first[1] })
  if (summaries.status === 'rejected') throw summaries.reason
}
