import { sql, type SQL } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { latest, stamp } from '../db/time'
import { craStages, type CraMark } from '../domain/decisions/cra'
import { invalid, notFound } from '../http/errors'
import type { CraClock } from './contract'
import { getCraClock, readWritten, selectClocks } from './find-clocks'

type Place = { org_id: number; vuln_id: number }

const isAt = ({ org_id, vuln_id }: Place) => sql`org_id = ${org_id} AND vuln_id = ${vuln_id}`

/** After a change of its reports or times: whether it is done, and that the clock looks at it again. */
function followClock(place: Place, now: Date): SQL[] {
  const made = (mark: SQL) => sql`(SELECT count(*) FROM cra_reports WHERE ${isAt(place)} AND mark ${mark})`
  const look = sql`INSERT INTO cra_dues(at, org_id, vuln_id) VALUES (${stamp(now)}, ${place.org_id}, ${place.vuln_id}) ON CONFLICT DO NOTHING`
  const stages = sql.join(
    craStages.map((stage) => sql`${stage}`),
    sql`, `,
  )
  const update = sql`UPDATE cra_clocks SET revision = revision + 1,
    is_done = ${made(sql`= 'not_needed'`)} > 0 OR ${made(sql`IN (${stages})`)} = ${craStages.length} WHERE ${isAt(place)}`
  return [update, look]
}

type Change = { write: SQL; action: 'cra.mark' | 'cra.unmark' | 'cra.edit'; detail: Record<string, unknown> }

/** Answers the clock as it is then. */
async function changeClock(db: Db, id: number, by: By, plan: (clock: CraClock, place: Place) => Change) {
  const { org_id } = by.actor
  const [clock, audit] = await Promise.all([getCraClock(db, org_id, id), readyAuditBy(db, by)])
  const place = { org_id, vuln_id: id }
  const { write, action, detail } = plan(clock, place)
  const answers = await audit(
    [write, ...followClock(place, by.now), selectClocks(org_id, [id])].map((change) => statement(db, change)),
    { action, target: clock.cveid ?? `PH-${id}`, detail },
  )
  return readWritten(answers)
}

type Noted = { id: number; mark: CraMark; done_at?: string | undefined; note: string }

/** Noted again it is replaced; the audit log keeps each. */
export async function setCraReport(db: Db, { id, mark, done_at, note }: Noted, by: By) {
  const { org_id, user_id } = by.actor
  const at = readTime(done_at ?? stamp(by.now), ['done_at'], by.now)
  if (mark === 'not_needed' && !note) throw invalid([{ path: ['note'], message: 'Say why no report is needed' }])
  const write = sql`INSERT INTO cra_reports(org_id, vuln_id, mark, done_at, noted_at, user_id, note)
    VALUES (${org_id}, ${id}, ${mark}, ${at}, ${stamp(by.now)}, ${user_id}, ${note})
    ON CONFLICT DO UPDATE SET done_at = excluded.done_at, noted_at = excluded.noted_at, user_id = excluded.user_id, note = excluded.note`
  return changeClock(db, id, by, () => ({ write, action: 'cra.mark', detail: { report: mark, done_at: at, note } }))
}

export async function removeReport(db: Db, { id, mark }: { id: number; mark: CraMark }, by: By) {
  await changeClock(db, id, by, ({ not_needed, stages }, place) => {
    const report = mark === 'not_needed' ? not_needed : stages.find(({ stage }) => stage === mark)?.report
    if (!report) throw notFound('Report')
    const write = sql`DELETE FROM cra_reports WHERE ${isAt(place)} AND mark = ${mark}`
    return { write, action: 'cra.unmark', detail: { report: mark, done_at: report.done_at, note: report.note } }
  })
}

type Times = { aware_at?: string | undefined; fix_at?: string | null | undefined }

/** A fix that a person states, or that there is none, is no longer changed by what sources say. */
export const editClock = (db: Db, id: number, { aware_at, fix_at }: Times, by: By) =>
  changeClock(db, id, by, (clock, place) => {
    const aware = aware_at === undefined ? clock.aware_at : readTime(aware_at, ['aware_at'], by.now)
    const fix = fix_at === undefined ? clock.fix_at : fix_at && readTime(fix_at, ['fix_at'], by.now)
    const write = sql`UPDATE cra_clocks SET aware_at = ${aware}, fix_at = ${fix},
      is_fix_stated = ${Number(fix_at !== undefined || clock.is_fix_stated)} WHERE ${isAt(place)}`
    return { write, action: 'cra.edit', detail: { aware_at: aware, fix_at: fix } }
  })

/** A day alone is its first second in UTC. */
function readTime(text: string, path: string[], now: Date) {
  const at = stamp(new Date(text.length === 10 || text.endsWith('Z') ? text : `${text}Z`))
  if (at > latest(now)) throw invalid([{ path, message: 'Must not be in the future' }])
  return at
}
