import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import { localTime, nextReport, previousReport } from '../../domain/report-times'
import { isQuiet } from '../../domain/report-words'
import type { Env } from '../../env'
import { queueMail } from '../../mail/outbox'
import { findHeld, orgsWithHeld, reportHeld } from '../held'
import type { HeldAlert } from '../held'
import { findOutsiders, wayOut } from '../leave'
import { mayReceive } from '../recipients'
import { statement } from '../../db/statement'
import { sql } from 'drizzle-orm'
import { describeReport } from './describe'
import type { ReportFacts } from './contract'
import { claimReports, isReportDue } from './due'
import type { DueReport } from './due'
import { reportMail } from './mail'
import { findSeqBefore, readPeriod } from './read'
import type { ReportSpan } from './read'
import { insertDues, toClock } from './schedule'

/** An invocation may ask D1 a thousand times: after so many nothing more is taken, and the next one goes on. */
const maxQueries = 500

type Scene = { env: Env; db: Db; now: Date; seqs: Map<string, Promise<number>>; planned_to: number }

/** Makes what is due; whatever fails is due again when its lease is out, and stops no other. */
export async function makeDueReports(env: Env, db: Db, clock: () => Date) {
  const planned_to = await findPlanned(db)
  for (;;) {
    const now = clock()
    const scene: Scene = { env, db, now, seqs: new Map(), planned_to }
    const claimed = await claimReports(db, now)
    if (!claimed.length) return
    const { results: waiting } = await orgsWithHeld(db)
    const withHeld = new Set(waiting.map(({ org_id }) => org_id))
    for (const due of claimed) {
      try {
        await makeReport(scene, due, withHeld.has(due.org_id) ? await findHeld(db, due.org_id) : [])
      } catch (error) {
        console.error(`The ${due.kind} report of the organization ${due.org_id} failed`, error)
      }
    }
    if (db.meter.queries > maxQueries) break
  }
  if (await isReportDue(db, clock())) await env.DELIVERIES.send({ reason: 'due' })
}

/** What is not planned yet comes in the next report: alerts tell what of it was held. */
async function findPlanned(db: Db) {
  const row = await db.$client
    .prepare("SELECT value FROM counters WHERE name = 'alerts_planned_to'")
    .first<{ value: number }>()
  return row?.value ?? 0
}

async function makeReport(scene: Scene, due: DueReport, held: HeldAlert[]) {
  const { db, now } = scene
  const due_at = new Date(due.due_at)
  const clock = toClock(due.time_zone, due.report_hour)
  const next = due.is_wanted ? [{ ...due, due_at: stamp(nextReport(due.kind, clock, due_at).due) }] : []
  const forget = [
    db.$client
      .prepare('DELETE FROM report_dues WHERE due_at = ?1 AND org_id = ?2 AND kind = ?3')
      .bind(due.due_at, due.org_id, due.kind),
    ...insertDues(
      db,
      next.map(({ org_id, kind, due_at: at }) => ({ org_id, kind, due_at: at })),
    ),
  ]
  if (due.is_paused) return void (await db.$client.batch(forget))

  const period = localTime(clock.time_zone, due_at).toISOString().slice(0, 10)
  const starts_at = due.last_end ?? stamp(previousReport(due.kind, clock, due_at))
  const last_seq = Math.min(await seqBefore(scene, due.due_at), scene.planned_to)
  const first_seq = Math.min(due.last_seq ?? (await seqBefore(scene, starts_at)), last_seq)
  const span: ReportSpan = { org_id: due.org_id, first_seq, last_seq, starts_at, ends_at: due.due_at }
  const facts = describeReport(due, period, span, await readPeriod(db, span, held))
  const told = isQuiet(facts) && !due.quiet_report ? [] : await reportMails(scene, due, facts)
  const last_held = held.at(-1)?.id
  try {
    await db.$client.batch([
      // Whoever made it first has made it: a second one breaks the key, and with it the batch.
      db.$client
        .prepare('INSERT INTO reports(org_id, kind, period, ends_at, last_seq, facts) VALUES (?1, ?2, ?3, ?4, ?5, ?6)')
        .bind(due.org_id, due.kind, period, due.due_at, last_seq, JSON.stringify(facts)),
      ...told.map((mail) => queueMail(db, mail, now)),
      ...(last_held === undefined ? [] : [reportHeld(db, due.org_id, last_held, now)]),
      ...forget,
    ])
  } catch (error) {
    if (!isMade(error)) throw error
    await db.$client.batch(forget)
  }
}

const isMade = (error: unknown) => error instanceof Error && /UNIQUE constraint failed: reports\./.test(error.message)

/** Reports of a time zone are due together: where their period begins and ends is looked up once. */
function seqBefore({ db, seqs }: Scene, at: string) {
  const found = seqs.get(at) ?? findSeqBefore(db, at)
  seqs.set(at, found)
  return found
}

async function reportMails({ env, db }: Scene, due: DueReport, facts: ReportFacts) {
  if (due.alerts_emails === '[]') return []
  const { results } = await statement(
    db,
    sql`SELECT lower(e.value) AS email FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${due.org_id} AND ${mayReceive}`,
  ).all<{ email: string }>()
  const emails = results.map(({ email }) => email)
  if (!emails.length) return []
  const [outsiders, mail] = [
    await findOutsiders(db, due.org_id, emails),
    await reportMail(facts, { app_url: env.APP_URL, report_url: reportUrl(env, due.org_id, facts) }),
  ]
  return Promise.all(
    emails.map(async (to) => {
      const way = await wayOut(env, db, { org_id: due.org_id, email: to, isOutsider: outsiders.has(to) })
      const footer = `You receive this because ${facts.org_name} lists ${to} for its reports. ${way.text}`
      const [html, text] = [await mail.html(footer), mail.text(footer)]
      return { to, kind: `report_${facts.kind}`, subject: mail.subject, html, text, headers: way.headers }
    }),
  )
}

const reportUrl = (env: Env, org_id: number, { kind, period }: ReportFacts) =>
  `${env.APP_URL}/reports/${kind}/${period}?org=${org_id}`
