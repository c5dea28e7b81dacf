import { sql } from 'drizzle-orm'
import { abort } from '../../db/guard'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { numberCraEvent } from '../../domain/alerts/news-numbers'
import { listCraEvents, type CraMark } from '../../domain/decisions/cra'
import type { Env } from '../../env'
import type { craClocks } from '../../schema/cra'
import { isServed } from '../recipients'
import { planTold, type Told } from './plan-told'
import { groupByOrg, takeTurns, writeTurn } from './turns'
import { writePlan } from './write-plan'

/** Clocks of a turn; the next minute takes the others. Organizations take turns, in no order: those that fail again and again stand before nobody. */
const clocksAtOnce = 200
/** Earlier events are news for nobody. */
const told_s = 7 * 86_400

type Clock = Pick<
  typeof craClocks.$inferSelect,
  'org_id' | 'vuln_id' | 'started_at' | 'aware_at' | 'fix_at' | 'revision'
> & {
  /** JSON array. */
  marks: string
  /** JSON array of the numbers that were told. */
  told: string
}

/** That a clock began, and before and after each report is due; each once. */
export async function tellCraClocks(env: Env, db: Db, now: Date) {
  const turns = groupByOrg(await findWaiting(db, now))
  await takeTurns(env, db, turns, ({ org_id, rows }) => tellOrg(db, org_id, rows, now))
}

const findWaiting = (db: Db, now: Date) =>
  db.all<Clock>(sql`
    SELECT c.org_id, c.vuln_id, c.started_at, c.aware_at, c.fix_at, c.revision,
      (SELECT json_group_array(r.mark) FROM cra_reports r WHERE r.org_id = c.org_id AND r.vuln_id = c.vuln_id) AS marks,
      (SELECT json_group_array(a.change_seq) FROM alerts a WHERE a.org_id = c.org_id AND a.vuln_id = c.vuln_id AND a.change_seq < 0) AS told
    FROM (SELECT d.org_id, d.vuln_id FROM cra_dues d CROSS JOIN orgs o ON o.id = d.org_id
      WHERE d.at <= ${stamp(now)} AND ${isServed(now)}
      GROUP BY 1, 2 ORDER BY row_number() OVER (PARTITION BY d.org_id), random() LIMIT ${literal(clocksAtOnce)}) d
    CROSS JOIN cra_clocks c ON c.org_id = d.org_id AND c.vuln_id = d.vuln_id`)

async function tellOrg(db: Db, org_id: number, clocks: Clock[], now: Date) {
  const untold = clocks.flatMap((clock) => findUntold(clock, now))
  const plan = await planTold(db, { org_id }, untold, now)
  const turned = clocks.flatMap((clock) => turnClock(clock, now))
  await writeTurn(db, 'cra told', [...turned, ...writePlan(plan, stamp(now))])
}

/** A clock changed meanwhile is looked at again. */
function turnClock(clock: Clock, now: Date) {
  const { org_id, vuln_id, revision } = clock
  const next = findNextTime(clock, now)
  return [
    sql`UPDATE cra_clocks SET revision = CASE WHEN revision = ${revision} THEN revision ELSE ${abort('cra told')} END
      WHERE org_id = ${org_id} AND vuln_id = ${vuln_id}`,
    sql`DELETE FROM cra_dues WHERE at <= ${stamp(now)} AND org_id = ${org_id} AND vuln_id = ${vuln_id}`,
    ...(next === null
      ? []
      : [
          sql`INSERT INTO cra_dues(at, org_id, vuln_id) VALUES (${next}, ${org_id}, ${vuln_id}) ON CONFLICT DO NOTHING`,
        ]),
  ]
}

const listEvents = (clock: Clock) => listCraEvents(clock, JSON.parse(clock.marks) as CraMark[])

/** The last that happened, as it says more than those before it. */
function findUntold(clock: Clock, now: Date): Told[] {
  const told = new Set(JSON.parse(clock.told) as number[])
  const [from, to] = [stamp(plusSeconds(now, -told_s)), stamp(now)]
  const last = listEvents(clock)
    .filter(({ at }) => at <= to)
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))[0]
  if (!last || last.at < from) return []
  const seq = numberCraEvent(last)
  return told.has(seq) ? [] : [{ vuln_id: clock.vuln_id, seq, rule: 'cra' }]
}

function findNextTime(clock: Clock, now: Date) {
  const times = listEvents(clock).map(({ at }) => at)
  return times.filter((at) => at > stamp(now)).toSorted()[0] ?? null
}
