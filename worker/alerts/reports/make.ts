import { and, eq } from 'drizzle-orm'
import { isTaken } from '../../db/guard'
import { noteError } from '../../db/error-text'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp, toDay } from '../../db/time'
import { lastReport, localTime, nextReport, previousReport } from '../../domain/alerts/report-times'
import { isQuiet } from '../../domain/alerts/report-words'
import type { Env } from '../../env'
import { queueMail } from '../../mail/outbox'
import { alertWaits } from '../../schema/alerts'
import { counters } from '../../schema/counters'
import { reportDues, reportPages, reports } from '../../schema/reports'
import { findEndingReleases } from '../../exposure/running-releases'
import { findSeqBefore } from '../change-log'
import { findHeld, findOrgsWithHeld, reportHeld, settleHeld } from './held-deliveries'
import type { HeldAlert, NamedDelivery } from './held-deliveries'
import { findWaysOut } from '../leave'
import { findLastSeal } from '../proof/seals'
import { findRecipients } from '../recipients'
import { describeReport } from './describe'
import type { ReportFacts, DescribedPage } from './contract'
import { claimReports, isReportDue, releaseReports, type DueReport } from './due-reports'
import { reportMail } from './mail'
import { findPeriods, findWholePeriod, perPage, type Period, type ReportSpan } from './periods'
import { insertDues, toClock } from './schedule'

/** An invocation may ask D1 a thousand times: after so many nothing more is taken, and the next one goes on. */
const maxQueries = 500

export type ReportMaking = {
  env: Env
  db: Db
  now: Date
  seqs: Map<string, Promise<number>>
  plannedTo: (org_id: number) => number
}

/** A report that fails is due again when its lease is out, and stops no other. Answers whether more are due. */
export async function createDueReports(env: Env, db: Db, clock: () => Date) {
  const plannedTo = await findPlanned(db)
  for (;;) {
    const now = clock()
    const claimed = await claimReports(db, now)
    if (!claimed.length) return false
    const scene: ReportMaking = { env, db, now, seqs: new Map(), plannedTo }
    await skipPaused(scene, claimed)
    const plans = await planReports(
      scene,
      claimed.filter(({ is_paused }) => !is_paused),
    )
    await makeReports(scene, plans)
    await env.DELIVERIES.send({ reason: 'due' })
    if (isSpent(db)) return isReportDue(db, clock())
  }
}

const isSpent = (db: Db) => db.meter.queries > maxQueries

async function makeReports(scene: ReportMaking, plans: Plan[]) {
  const { db } = scene
  // Periods that cannot be read together are read one by one: no organization stops the report of another.
  const periods = await findPeriods(
    db,
    plans.map(({ span }) => span),
  ).catch((error: unknown) => noteError({ job: 'reports' }, error))
  for (const [at, plan] of plans.entries()) {
    if (isSpent(db))
      return releaseReports(
        db,
        plans.slice(at).map(({ due }) => due),
      )
    try {
      const period = periods?.[at] ?? (await findPeriods(db, [plan.span]))[0]
      if (period) await makeReport(scene, plan, period)
    } catch (error) {
      tellFailed(plan.due, error)
    }
  }
}

const tellFailed = ({ kind, org_id }: DueReport, error: unknown) => noteError({ job: 'reports', kind, org_id }, error)

/** Changes not planned yet come in the next report: alerts tell which were held. */
export async function findPlanned(db: Db) {
  const isMark = eq(counters.name, 'alerts_planned_to')
  const [[mark], waits] = await db.batch([
    db.select({ value: counters.value }).from(counters).where(isMark),
    db.select({ org_id: alertWaits.org_id, planned_to: alertWaits.planned_to }).from(alertWaits),
  ])
  const waiting = new Map(waits.map(({ org_id, planned_to }) => [org_id, planned_to]))
  return (org_id: number) => waiting.get(org_id) ?? mark?.value ?? 0
}

/** A due report of a disabled organization or after a trial is forgotten; the next one is due if it is wanted. */
async function skipPaused({ db, now }: ReportMaking, claimed: DueReport[]) {
  const statements = claimed.filter(({ is_paused }) => is_paused).flatMap((due) => passOn(db, due, now))
  if (statements.length) await db.$client.batch(statements)
}

const findEnd = ({ kind, time_zone, report_hour, due_at }: DueReport, now: Date) =>
  lastReport(kind, toClock(time_zone, report_hour), { due: new Date(due_at), now })

/** A due row goes, and the one after it comes. */
function passOn(db: Db, due: DueReport, now: Date) {
  const { due_at, org_id, kind, time_zone, report_hour } = due
  const { due: next } = nextReport(kind, toClock(time_zone, report_hour), findEnd(due, now))
  const isIt = and(eq(reportDues.due_at, due_at), eq(reportDues.org_id, org_id), eq(reportDues.kind, kind))
  return [
    statement(db, db.delete(reportDues).where(isIt)),
    ...insertDues(db, due.is_wanted ? [{ org_id, kind, due_at: stamp(next) }] : []),
  ]
}

type Plan = { due: DueReport; period: string; span: ReportSpan }

async function planReports(scene: ReportMaking, claimed: DueReport[]): Promise<Plan[]> {
  const withHeld = new Set(await findOrgsWithHeld(scene.db))
  const plans: Plan[] = []
  for (const due of claimed) {
    // Held deliveries stand in the first of the reports that an organization gets at once.
    try {
      const held = withHeld.delete(due.org_id) ? await findHeld(scene.db, due.org_id) : []
      plans.push(await planReport(scene, due, held))
    } catch (error) {
      tellFailed(due, error)
    }
  }
  return plans
}

export async function planReport(scene: ReportMaking, due: DueReport, held: HeldAlert[]): Promise<Plan> {
  const clock = toClock(due.time_zone, due.report_hour)
  const end = findEnd(due, scene.now)
  const ends_at = stamp(end)
  const starts_at = due.last_end ?? stamp(previousReport(due.kind, clock, new Date(due.due_at)))
  const [end_seq, start_seq] = await Promise.all([
    seqBefore(scene, ends_at),
    due.last_seq ?? seqBefore(scene, starts_at),
  ])
  const last_seq = Math.min(end_seq, scene.plannedTo(due.org_id))
  const first_seq = Math.min(start_seq, last_seq)
  const today = toDay(localTime(clock.time_zone, end))
  return { due, period: today, span: { org_id: due.org_id, first_seq, last_seq, starts_at, ends_at, today, held } }
}

export const readAllPages = (db: Db, span: ReportSpan, first: Period) =>
  (first.changed[0]?.listed ?? 0) > perPage ? findWholePeriod(db, span) : first

async function makeReport(scene: ReportMaking, { due, period, span }: Plan, first: Period) {
  const { db, now } = scene
  const read = await readAllPages(db, span, first)
  const { facts: described, further } = describeReport(due, period, span, read)
  const isWanted = !isQuiet(described) || due.quiet_report
  const facts = isWanted
    ? { ...described, ...(await findEndingReleases(db, due.org_id, new Date(span.today))) }
    : described
  const mails = isWanted ? await dueMails(scene, due, { facts, further }) : []
  const { org_id, kind } = due
  const place = { org_id, kind, period }
  const row = { ...place, ends_at: span.ends_at, last_seq: span.last_seq, facts: JSON.stringify(facts) }
  const pages = further.map((page, at) => ({ ...place, page: at + 2, body: JSON.stringify(page) }))
  const held = passHeld(db, { facts, further, held: span.held, isMailed: mails.length > 0 }, now)
  try {
    await db.$client.batch([
      // The first report stands: a second one breaks the key, and with it the batch.
      statement(db, db.insert(reports).values(row)),
      ...pages.map((page) => statement(db, db.insert(reportPages).values(page))),
      ...mails.map((mail) => queueMail(db, { org_id: due.org_id, ...mail }, now)),
      ...held,
      ...passOn(db, due, now),
    ])
  } catch (error) {
    if (!isTaken(error, 'reports.')) throw error
    await db.$client.batch(passOn(db, due, now))
  }
}

type Passed = Described & { held: HeldAlert[]; isMailed: boolean }

/** A delivery on a page that a mail leads to is told there; one on no page waits for the next report, unless it was settled. */
function passHeld(db: Db, { facts: { kind, period, rows }, further, held, isMailed }: Passed, now: Date) {
  if (!held.length) return []
  const pages = new Map(
    [rows, ...further.map((page) => page.rows)].flatMap((onPage, at) => onPage.map(({ id }) => [id, at + 1])),
  )
  const named = held.flatMap(({ id, vuln_id }): NamedDelivery[] => {
    const page = pages.get(vuln_id)
    return page ? [[id, JSON.stringify([kind, period, page])]] : []
  })
  const unnamed = held.filter(({ vuln_id }) => !pages.has(vuln_id)).map(({ id }) => id)
  return [reportHeld(db, named, isMailed, now), settleHeld(db, unnamed)]
}

/** Reports of a time zone are due together: where their period begins and ends is looked up once. */
function seqBefore({ db, seqs }: ReportMaking, at: string) {
  const found = seqs.get(at) ?? findSeqBefore(db, at)
  seqs.set(at, found)
  return found
}

type Described = { facts: ReportFacts; further: DescribedPage[] }

async function dueMails(scene: ReportMaking, { org_id, alerts_emails }: DueReport, described: Described) {
  if (alerts_emails === '[]') return []
  const url = reportUrl(scene.env, org_id, described.facts)
  return reportMails(scene, described, await findReaders(scene, org_id), url)
}

type ReportReaders = Awaited<ReturnType<typeof findReaders>>

/** Recipients, each with the way to end the mails, and what proves the ledger until then. */
export async function findReaders({ env, db }: Pick<ReportMaking, 'env' | 'db'>, org_id: number) {
  const [emails, last] = await Promise.all([findRecipients(db, org_id), findLastSeal(db, org_id)])
  const findWay = await findWaysOut(env, db, org_id, emails)
  return { readers: await Promise.all(emails.map(async (to) => ({ to, way: await findWay(to) }))), last }
}

export async function reportMails(
  { env }: Pick<ReportMaking, 'env'>,
  described: Described,
  read: ReportReaders,
  report_url: string,
) {
  if (!read.readers.length) return []
  const { facts, further } = described
  const rows = [facts, ...further].flatMap((page) => page.rows)
  const mail = await reportMail({ ...facts, rows }, { app_url: env.APP_URL, report_url })
  const sealed = read.last ? `\nSeal of the ledger to ${read.last.day}: ${read.last.hash}` : ''
  return Promise.all(
    read.readers.map(async ({ to, way }) => {
      const footer = `You receive this because ${facts.org_name} lists ${to} for its reports.\n${way.text}${sealed}`
      const [html, text] = [await mail.html(footer), mail.text(footer)]
      return { to, kind: `report_${facts.kind}`, subject: mail.subject, html, text, headers: way.headers }
    }),
  )
}

const reportUrl = (env: Env, org_id: number, { kind, period }: ReportFacts) =>
  `${env.APP_URL}/reports/${kind}/${period}?org=${org_id}`
