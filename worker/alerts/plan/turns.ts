import { sql, type SQL } from 'drizzle-orm'
import { eachApart } from '../../db/apart'
import { abort, isAborted } from '../../db/guard'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { literal } from '../../db/values'
import { nextReport } from '../../domain/alerts/report-times'
import type { Env } from '../../env'
import { isServed } from '../recipients'

/** Organizations of a turn of the clock; the next one takes the others. */
const orgsAtOnce = 20

/** Each organization apart; what was told leaves, also where another one failed. */
export async function takeTurns<Turn extends { org_id: number }>(
  env: Env,
  db: Db,
  turns: Turn[],
  tell: (turn: Turn) => Promise<unknown>,
) {
  try {
    return await eachApart(db, turns, tell)
  } finally {
    if (turns.length) await env.DELIVERIES.send({ reason: 'due' })
  }
}

export const groupByOrg = <Row extends { org_id: number }>(all: Row[]) =>
  [...Map.groupBy(all, ({ org_id }) => org_id)].map(([org_id, rows]) => ({ org_id, rows }))

type Guarded = Parameters<typeof isAborted>[1]

/** Whether it was written: somebody else may have taken the turn meanwhile. */
export async function writeTurn(db: Db, guarded: Guarded, writes: SQL[], messages: D1PreparedStatement[] = []) {
  try {
    await db.$client.batch([...writes.map((write) => statement(db, write)), ...messages])
    return true
  } catch (error) {
    if (isAborted(error, guarded)) return false
    throw error
  }
}

type DailyTurn = { org_id: number; org_name: string; turn_at: string; time_zone: string; report_hour: number }

/** News of each day, at the hour of the reports of an organization of which some route switched them on. */
export const dailyTurns = (column: 'due_turn_at' | 'support_turn_at', rule: 'on_due' | 'on_end_of_life') => ({
  // In no order: those that fail again and again must not stand before the others.
  find: (db: Db, now: Date, isReady = sql`1`) => {
    const [at, is_on] = [sql.raw(`s.${column}`), sql.raw(rule)]
    return db.all<DailyTurn>(sql`
      SELECT s.org_id, o.name AS org_name, ${at} AS turn_at, s.time_zone, s.report_hour
      FROM alert_settings s CROSS JOIN orgs o ON o.id = s.org_id
      WHERE ${at} <= ${stamp(now)} AND ${isServed(now)} AND ${isReady}
        AND (s.${is_on} = 1 OR EXISTS (SELECT 1 FROM alert_channels c WHERE c.org_id = s.org_id AND c.${is_on} = 1))
      ORDER BY random() LIMIT ${literal(orgsAtOnce)}`)
  },
  pass: ({ org_id, turn_at, time_zone, report_hour: hour }: DailyTurn, guarded: Guarded, now: Date) => {
    const next = stamp(nextReport('daily', { time_zone: time_zone || 'UTC', hour }, now).due)
    const turn = sql.raw(column)
    return sql`UPDATE alert_settings SET ${turn} = CASE WHEN ${turn} = ${turn_at} THEN ${next} ELSE ${abort(guarded)} END
      WHERE org_id = ${org_id}`
  },
})
