import { and, between, desc, eq, gte, inArray, isNull, or } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp, toDay } from '../../db/time'
import { fireChanges, isUrgent, judgeChannel, toFired } from '../../domain/alerts/alert-judge'
import type { Fired, JudgedVuln, Reason } from '../../domain/alerts/alert-judge'
import { hasRule, movedBit } from '../../domain/alerts/alert-rules'
import { movedWords } from '../../domain/alerts/moved-news'
import { findRisenSeq, risenNumbers, risenWords } from '../../domain/alerts/news-numbers'
import { wakingWords } from '../../domain/decisions/snooze'
import { knownId } from '../../domain/names/cve'
import { alerts } from '../../schema/alerts'
import { orgs } from '../../schema/orgs'
import { decisions } from '../../schema/decisions'
import { vulnChanges } from '../../schema/vulns'
import { requireVuln } from '../../watchlist/visible'
import { listRouteRows } from '../channels/rows'
import { labelRoute } from '../channels/words'
import { changedLines, isNews, selectLogged } from '../change-log'
import type { ChannelRow } from '../channels/contract'
import type { AlertWhy } from '../contract'
import { findDocumentsWith } from './documents'
import { describeTimes, findStanding } from './standing'
import { askedBy, findCutViews, findJudged } from '../judge-context'
import { findTakers, type Taker } from '../plan/takers'
import { findRecipients } from '../recipients'
import { findSnooze } from '../../decisions/quiet'

type Scene = { db: Db; org_id: number; vuln_id: number; now: Date }

/** Asks the rules in the order of planning and names the first that says no. */
export async function explainAlert(db: Db, org_id: number, vuln_id: number, now: Date): Promise<AlertWhy> {
  const scene = { db, org_id, vuln_id, now }
  const listed = listRouteRows(db, org_id)
  // The rules of mails are asked even where no address is entered.
  const asking = listed.then((all) =>
    askedBy(all.filter(({ channel, is_configured }) => is_configured || channel === 'email')),
  )
  const [{ id, cveid }, rows, [vuln], cut, recipients, takers, change, ofOrg, ofWork, ofDocuments] = await Promise.all([
    requireVuln(db, org_id, vuln_id),
    listed,
    asking.then((asked) => findJudged(db, org_id, [vuln_id], { asked, now })),
    asking.then(({ views }) => findCutViews(db, org_id, views)),
    findRecipients(db, org_id),
    findTakers(db, [{ org_id }], now),
    findNewestChange(scene),
    judgeOrg(scene),
    judgeWork(scene),
    findDocumentsWith(db, org_id, vuln_id),
  ])
  const reasons = [
    ...ofOrg,
    vuln
      ? { is_ok: true, text: 'You monitor it' }
      : { is_ok: false, text: 'You monitor nothing that it is known to affect' },
    judgeChange(change, ofDocuments.length > 0),
    ...ofWork,
  ]
  const fire = (is_new: boolean) => {
    if (!is_new && vuln && change?.moved) return change.moved
    return change && vuln && fireChanges(change.log, is_new, vuln)
  }
  const [triggered, standing] = [fire(change?.is_new ?? false), change?.standing]
  const risen = change?.has_risen ? fire(true) : triggered
  const receivers = { rows, takers: takers.get(org_id) ?? [], cut, isConfirmed: recipients.length > 0 }
  const channels = judgeChannels(receivers, { triggered, risen, vuln, standing }, now)
  const refused = reasons.find(({ is_ok }) => !is_ok) ?? refuseAll(channels)
  return {
    vuln: { id, cveid: knownId(cveid) },
    is_told: refused === undefined,
    first_no: refused?.text ?? null,
    change: change && { at: change.at, lines: change.lines },
    reasons: [...reasons, ...ofDocuments],
    channels,
  }
}

/** Nothing when some channel takes it; else the first that said no, of those that are set up if there is one. */
function refuseAll(channels: AlertWhy['channels']) {
  if (channels.some(({ rule }) => rule !== null)) return
  const refusals = channels.flatMap(({ channel, reasons }) =>
    reasons.filter(({ is_ok }) => !is_ok).map(({ text }) => ({ channel, text, isOpen: reasons[0]?.is_ok })),
  )
  const first = refusals.find(({ isOpen }) => isOpen) ?? refusals[0]
  return first && { text: first.isOpen ? `${capitalize(labelRoute(first.channel))}: ${first.text}` : first.text }
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

async function judgeOrg({ db, org_id, now }: Scene): Promise<Reason[]> {
  const { is_active, trial_ends_at } = orgs
  const org = await db.select({ is_active, trial_ends_at }).from(orgs).where(eq(orgs.id, org_id)).get()
  if (!org?.is_active) return [{ is_ok: false, text: 'The organization is disabled' }]
  const isOver = org.trial_ends_at !== null && org.trial_ends_at <= stamp(now)
  return isOver ? [{ is_ok: false, text: 'The trial is over: alerts are paused' }] : []
}

type Standing = Awaited<ReturnType<typeof findStanding>>
type Newest = NonNullable<Awaited<ReturnType<typeof findNewestChange>>>

/** The newest run of changes that planning saw as one, or the newest change alone when it planned none of it. */
async function findNewestChange({ db, org_id, vuln_id, now }: Scene) {
  const { id, change_seq, last_seq, fired: bits, score_from: score, cvss_from: cvss, cvss3_from: cvss3 } = alerts
  const isOurs = and(eq(alerts.org_id, org_id), eq(alerts.vuln_id, vuln_id))
  const [[newest], [alert], [risen]] = await db.batch([
    db
      .select({ seq: vulnChanges.seq })
      .from(vulnChanges)
      .where(and(eq(vulnChanges.vuln_id, vuln_id), isNews))
      .orderBy(desc(vulnChanges.seq))
      .limit(1),
    db
      .select({ id, change_seq, last_seq, fired: bits, from: { score, cvss, cvss3 } })
      .from(alerts)
      .where(isOurs)
      .orderBy(desc(change_seq))
      .limit(1),
    db
      .select({ id, change_seq })
      .from(alerts)
      .where(and(isOurs, between(change_seq, risenNumbers.last, risenNumbers.first)))
      .orderBy(change_seq)
      .limit(1),
  ])
  if (!newest) return null
  const hasRisen = risen !== undefined && (findRisenSeq(risen.change_seq) ?? 0) >= newest.seq
  const planned = alert && alert.last_seq >= newest.seq ? alert : undefined
  const run = { vuln_id, change_seq: planned?.change_seq ?? newest.seq, last_seq: newest.seq }
  const fired = planned?.fired ?? 0
  const moved = planned && fired & movedBit ? toFired(fired, planned.from) : null
  const [log, standing] = await Promise.all([
    selectLogged(db, run).orderBy(desc(vulnChanges.seq)),
    findStanding(db, [...(planned ? [planned.id] : []), ...(hasRisen ? [risen.id] : [])], now),
  ])
  return {
    standing,
    at: log[0]?.at ?? '',
    moved,
    is_new: planned ? hasRule(fired, 'new') : log.some(({ kind }) => kind === 'new'),
    has_risen: hasRisen,
    lines: [
      ...(hasRisen ? [risenWords] : []),
      ...(moved ? [movedWords] : []),
      ...changedLines(log.flatMap(({ changes }) => changes)),
    ],
    log,
  }
}

function judgeChange(change: Newest | null, isSummarized: boolean): Reason {
  if (change) return { is_ok: true, text: `Its newest change: ${change.lines.slice(0, 3).join('; ')}` }
  if (isSummarized)
    return { is_ok: false, text: 'It has not changed since it stood in the summary of a first document' }
  return { is_ok: false, text: 'It has not changed since it was first loaded, and a first load is not alerted' }
}

async function judgeWork({ db, org_id, vuln_id, now }: Scene): Promise<Reason[]> {
  const { verdict, last_day } = decisions
  const asked = db
    .select({ verdict })
    .from(decisions)
    .where(
      and(
        eq(decisions.vuln_id, vuln_id),
        eq(decisions.org_id, org_id),
        eq(decisions.scope, 'vulnerability'),
        inArray(verdict, ['fixed', 'not_interesting']),
        or(isNull(last_day), gte(last_day, toDay(now))),
      ),
    )
    .get()
  const [settled, snooze] = await Promise.all([asked, findSnooze(db, org_id, vuln_id, now)])
  return [
    ...(settled ? [{ is_ok: false, text: `Its status is ${settled.verdict.replace('_', ' ')}` }] : []),
    ...(snooze ? [describeSnooze(snooze)] : []),
  ]
}

function describeSnooze({ kind, until, woken_by }: NonNullable<Awaited<ReturnType<typeof findSnooze>>>): Reason {
  const [state, before] =
    kind === 'accepted'
      ? ['Its risk is accepted', 'Its risk is no longer accepted']
      : ['It is snoozed', 'It is no longer snoozed']
  if (woken_by) return { is_ok: true, text: `${before}: ${wakingWords[woken_by]}` }
  return { is_ok: false, text: `${state}${until ? ` until ${until}` : ''}` }
}

/** Views that are cut leave nothing out. */
type Receivers = { rows: ChannelRow[]; takers: Taker[]; cut: number[]; isConfirmed: boolean }
type Told = {
  triggered: Fired | null | undefined
  /** For routes that ask for verdicts. */
  risen: Fired | null | undefined
  vuln: JudgedVuln | undefined
  standing: Standing | undefined
}

function judgeChannels({ rows, takers, cut, isConfirmed }: Receivers, told: Told, now: Date) {
  const { vuln, standing } = told
  return rows.map((row) => {
    const before = judgeReceiver(row, isConfirmed)
    const triggered = row.verdicts.length ? told.risen : told.triggered
    const became = standing?.get(row.channel) ?? []
    if (!triggered || !vuln || !before.is_ok) return { channel: row.channel, rule: null, reasons: [before, ...became] }
    const { rule, reasons } = judgeChannel(row, triggered, vuln)
    const taker = takers.find(({ channel }) => channel === row.channel)
    const times = rule ? describeTimes(taker, isUrgent(rule, triggered), now) : []
    const unread = row.views.some((view) => cut.includes(view)) ? [unreadViews] : []
    return { channel: row.channel, rule, reasons: [before, ...reasons, ...unread, ...times, ...became] }
  })
}

const unreadViews = {
  is_ok: true,
  text: 'Some saved views of its rules leave nothing out, as those of all rules together have too many conditions',
}

function judgeReceiver({ channel, is_configured, disabled_at }: ChannelRow, isConfirmed: boolean): Reason {
  const name = labelRoute(channel)
  if (!is_configured) return { is_ok: false, text: `${capitalize(name)} is not set up` }
  if (disabled_at)
    return {
      is_ok: true,
      text: `${capitalize(name)} is switched off, as its receiver failed: its alerts are kept until it works again`,
    }
  if (channel === 'email' && !isConfirmed) return { is_ok: false, text: 'No contact e-mail is confirmed yet' }
  return { is_ok: true, text: `${capitalize(name)} is set up` }
}
