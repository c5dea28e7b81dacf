import type { By } from '../../auth/audited-by'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { ReportKind } from '../../domain/alerts/report-times'
import { findEndingReleases } from '../../exposure/running-releases'
import { Failure, notFound } from '../../http/errors'
import { orTooMany, spendStatement } from '../../mail/allowance'
import { queueMail } from '../../mail/outbox'
import type { ReportFacts } from './contract'
import { describeReport } from './describe'
import { describeDues } from './due-reports'
import { findHeld } from './held-deliveries'
import { findPlanned, findReaders, planReport, readAllPages, reportMails, type ReportMaking } from './make'
import { findPeriods } from './periods'

/** Reports of an organization that are sent by a click in a day. */
const sentPerDay = 10

/** As it would be if it were due now; nothing is written, and the next one tells of all of it again. */
async function makeNow(kind: ReportKind, org_id: number, { env, db, now }: Omit<ReportMaking, 'seqs' | 'plannedTo'>) {
  // A report tells of the seconds before it: with this one.
  const due_at = stamp(plusSeconds(now, 1))
  const [plannedTo, [due], held] = await Promise.all([
    findPlanned(db),
    describeDues(db, [{ org_id, kind, due_at }], now),
    findHeld(db, org_id),
  ])
  if (!due) throw notFound('Organization')
  const scene = { env, db, now, seqs: new Map(), plannedTo }
  const { period, span } = await planReport(scene, due, held)
  const [[first], ends] = await Promise.all([
    findPeriods(db, [span]),
    findEndingReleases(db, org_id, new Date(span.today)),
  ])
  if (!first) throw notFound('Report')
  const { facts, further } = describeReport(due, period, span, await readAllPages(db, span, first))
  return { due, facts: { ...facts, ...ends }, further }
}

type Wanted = { kind: ReportKind; page: number }

export async function getReportNow(db: Db, { kind, page }: Wanted, { env, actor, now }: By): Promise<ReportFacts> {
  const { facts, further } = await makeNow(kind, actor.org_id, { env, db, now })
  const shown = page === 1 ? facts : further[page - 2]
  if (!shown) throw notFound('Report')
  return { ...facts, ...shown }
}

export async function sendReportNow(db: Db, kind: ReportKind, { env, actor: { org_id }, now }: By) {
  const making = makeNow(kind, org_id, { env, db, now })
  const [{ due, facts, further }, readers] = await beside(making, findReaders({ env, db }, org_id))
  if (due.is_paused) throw new Failure(409, 'conflict', 'The trial is over: nothing is sent')
  const url = `${env.APP_URL}/reports/${kind}/now?org=${org_id}`
  const mails = await reportMails({ env }, { facts, further }, readers, url)
  if (!mails.length) throw new Failure(409, 'conflict', 'No contact e-mail is confirmed yet')
  const spend = spendStatement(db, { key: `reports now of ${org_id}`, limit: sentPerDay }, now)
  await db.$client
    .batch([spend, ...mails.map((mail) => queueMail(db, { org_id, ...mail }, now))])
    .catch(orTooMany('Too many reports were sent by a click today: try again tomorrow'))
  await env.DELIVERIES.send({ reason: 'due' })
  return { sent: mails.length }
}
