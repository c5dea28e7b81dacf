import { and, asc, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { movedBit, type deliveryStatuses } from '../../domain/alerts/alert-rules'
import {
  describeCraEvent,
  findCraEvent,
  findDueDay,
  findSnoozedSeq,
  snoozeEndWords,
  findRisenSeq,
  risenWords,
} from '../../domain/alerts/news-numbers'
import { movedWords } from '../../domain/alerts/moved-news'
import { findHeldUntil } from '../../domain/alerts/report-times'
import { policies, type Actor } from '../../domain/people/access'
import { isScoreProvisional } from '../../domain/scores/score'
import { isCveId, knownId, parsePhId } from '../../domain/names/cve'
import { shiftDay, stamp } from '../../db/time'
import { valuesTable } from '../../db/values'
import { countCap, pageOffset } from '../../http/page'
import { monitoredByEach } from '../../watchlist/monitored'
import { vulns } from '../../schema/vulns'
import { alertDetails, changedLines, readLoggedChanges } from '../change-log'
import type { AlertQuery, AlertRow } from '../contract'
import { describeDocument, documentFacts, documentStatus } from './documents'
import { alerts, alertSettings, deliveries } from '../../schema/alerts'
import { users } from '../../schema/auth'

/** Filters look at so many of the newest alerts of the days that are asked for. */
const filterWindow = 2_000

const hasDelivery = (test: SQL) => sql`EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = alerts.id AND ${test})`
const hasAny = (...statuses: (typeof deliveryStatuses)[number][]) =>
  hasDelivery(sql`d.status IN (${sql.raw(statuses.map((status) => `'${status}'`).join(', '))})`)

const alertStatus = sql<
  AlertRow['status']
>`CASE WHEN alerts.suppressed = 'summarized' THEN ${documentStatus(sql`alerts`)}
  WHEN alerts.suppressed IS NOT NULL THEN 'suppressed' WHEN ${hasAny('dead')} THEN 'failed'
  WHEN ${hasAny('pending', 'sending', 'parked')} THEN 'pending' WHEN ${hasAny('sent')} THEN 'sent'
  WHEN ${hasAny('held', 'reported')} THEN 'held' ELSE 'suppressed' END`

const isInSummary = (search: string) =>
  sql`EXISTS (SELECT 1 FROM vulns v WHERE v.id = alerts.vuln_id AND instr(lower(v.summary), ${search.toLowerCase()}))`

function selectAlerts(org_id: number, query: AlertQuery) {
  const { status, rule, channel, search, from, to } = query
  const isVuln = isOfVuln(query)
  const ours = and(
    eq(alerts.org_id, org_id),
    from ? gte(alerts.created_at, from) : undefined,
    to ? lt(alerts.created_at, endOfDay(to)) : undefined,
  )
  const filters = [
    ...(search && !isVuln ? [isInSummary(search)] : []),
    ...(status ? [sql`${alertStatus} = ${status}`] : []),
    ...(rule ? [sql`(alerts.rule = ${rule} OR ${hasDelivery(sql`d.rule = ${rule}`)})`] : []),
    ...(channel ? [hasDelivery(sql`(d.channel = ${channel} OR d.channel LIKE ${`${channel}-%`})`)] : []),
  ]
  if (!filters.length)
    return { where: and(ours, isVuln), ours, isFiltered: false, isCheap: !isVuln && query.page === 1 }
  const newest = sql`(SELECT alerts.id FROM alerts WHERE ${ours}
    ORDER BY alerts.created_at DESC, alerts.id DESC LIMIT ${filterWindow})`
  return { where: and(ours, inArray(alerts.id, newest), isVuln, ...filters), ours, isFiltered: true, isCheap: false }
}

/** By its number or by its CVE, which may be searched for, too. */
function isOfVuln({ vuln_id, search = '' }: AlertQuery) {
  const id = vuln_id ?? parsePhId(search)
  const cveid = search.toUpperCase()
  return and(
    id ? eq(alerts.vuln_id, id) : undefined,
    isCveId(cveid) ? sql`alerts.vuln_id = (SELECT v.id FROM vulns v WHERE v.cveid = ${cveid})` : undefined,
  )
}

/** A day is asked for to its end. */
const endOfDay = (to: string) => (to.length === 10 ? `${shiftDay(to, 1)}T00:00:00Z` : to)

export async function findAlerts(db: Db, actor: Actor, query: AlertQuery, now: Date) {
  const { org_id } = actor
  const { where, ours, isFiltered, isCheap } = selectAlerts(org_id, query)
  const order = query.sorted_by === 'id' ? asc : desc
  const inOrder = [order(alerts.created_at), order(alerts.id)]
  const window = isFiltered ? filterWindow : 0
  const page = sql`SELECT alerts.id AS item FROM alerts WHERE ${where}
    ORDER BY ${sql.join(inOrder, sql`, `)} LIMIT ${query.limit} OFFSET ${pageOffset(query)}`
  // Each statement of the trip chooses the page anew, unless that tests many alerts.
  const chosen = isCheap ? sql`(${page})` : valuesTable((await db.all<{ item: number }>(page)).map(({ item }) => item))
  const isManager = policies.manageAlerts(actor)
  const [rows, [counted], sent, concerned, member, clock] = await Promise.all([
    findListed(db, chosen, inOrder),
    db
      .select({
        count: sql<number>`(SELECT count(*) FROM (SELECT 1 FROM alerts WHERE ${where} LIMIT ${countCap + 1}))`.as(
          'count',
        ),
        among: sql<number>`(SELECT count(*) FROM (SELECT 1 FROM alerts WHERE ${ours} LIMIT ${window}))`.as('among'),
      })
      .from(sql`(SELECT 1)`),
    db
      .select()
      .from(deliveries)
      .where(inArray(deliveries.alert_id, sql`(SELECT item FROM ${chosen})`))
      .orderBy(asc(deliveries.id)),
    monitoredByEach(
      db,
      org_id,
      sql`(SELECT alerts.vuln_id AS item FROM ${chosen} c CROSS JOIN alerts ON alerts.id = c.item)`,
    ),
    isManager ? undefined : db.select({ email: users.email }).from(users).where(eq(users.id, actor.user_id)).get(),
    db
      .select({ time_zone: alertSettings.time_zone, report_hour: alertSettings.report_hour })
      .from(alertSettings)
      .where(eq(alertSettings.org_id, org_id))
      .get(),
  ])
  const { count = 0, among = 0 } = counted ?? {}
  const count_is_exact = count <= countCap && (!isFiltered || among < filterWindow)
  const held_until = clock ? stamp(findHeldUntil(clock, now)) : null
  const beside = { sent, concerned, held_until, at: stamp(now) }
  const described = rows.map((row) => describeRow(row, beside))
  const results = isManager ? described : withoutReceivers(described, member?.email)
  return { count: Math.min(count, countCap), count_is_exact, results }
}

/** Addresses and answers of receivers are for those who may change them; others see what was told, and their own messages. */
function withoutReceivers(rows: AlertRow[], email: string | undefined): AlertRow[] {
  const targetFor = (target: string) => (target.toLowerCase() === email?.toLowerCase() ? target : '')
  return rows.map((row) => ({
    ...row,
    deliveries: row.deliveries.map((delivery) => ({
      ...delivery,
      target: targetFor(delivery.target),
      last_error: null,
      answer: null,
    })),
  }))
}

type Listed = Awaited<ReturnType<typeof findListed>>[number]

function findListed(db: Db, chosen: SQL, inOrder: SQL[]) {
  const { id, rule, suppressed, created_at, acknowledged_at, acknowledged_by, change_seq, fired } = alerts
  const { cveid, summary, score, cvss_vector, cvss3_vector, cvss4_vector, is_malicious } = vulns
  const alert = { id, rule, suppressed, created_at, acknowledged_at, acknowledged_by, change_seq, fired }
  const vuln = { cveid, summary, score, cvss_vector, cvss3_vector, cvss4_vector, is_malicious }
  return db
    .select({
      ...alert,
      ...vuln,
      status: alertStatus.as('status'),
      vuln_id: sql<number>`${vulns.id}`.as('vuln_id'),
      details: alertDetails,
      document: documentFacts(sql`alerts`).as('document'),
    })
    .from(sql`${chosen} c`)
    .crossJoin(alerts)
    .innerJoin(vulns, eq(vulns.id, alerts.vuln_id))
    .where(sql`alerts.id = c.item`)
    .orderBy(...inOrder)
}

type Beside = {
  sent: (typeof deliveries.$inferSelect)[]
  concerned: Awaited<ReturnType<typeof monitoredByEach>>
  /** When the next report takes what is held. */
  held_until: string | null
  at: string
}

/** With what of the organization it concerns, and what became of it. */
function describeRow(row: Listed, beside: Beside): AlertRow {
  const { sent, concerned } = beside
  const { id, rule, status, created_at, vuln_id, cveid, summary, score, suppressed } = row
  const changes = describeUnchanged(row) ?? [
    ...(row.fired & movedBit ? [movedWords] : []),
    ...changedLines(readLoggedChanges(row.details)),
  ]
  return {
    id,
    rule,
    status,
    created_at,
    reason: suppressed === 'summarized' && status === 'suppressed' ? whoLeft : suppressed && reasons[suppressed],
    acknowledged: row.acknowledged_at === null ? null : { at: row.acknowledged_at, by: row.acknowledged_by ?? '' },
    vuln: { id: vuln_id, cveid: knownId(cveid), summary, score, is_score_provisional: isScoreProvisional(row) },
    changes,
    concerns: concerned
      .filter((item) => item.vuln_id === vuln_id)
      .slice(0, maxConcerns)
      .map(({ vuln_id: _, ...item }) => item),
    deliveries: sent
      .filter(({ alert_id }) => alert_id === id)
      .map((delivery) => ({
        ...delivery,
        next_attempt_at: findNext(delivery, beside),
        reported_in: delivery.reported_in && reportPath(delivery.reported_in),
      })),
  }
}

/** Null where nothing is waited for. */
function findNext({ status, attempts, next_attempt_at }: Beside['sent'][number], { held_until, at }: Beside) {
  if (status === 'held') return held_until
  return status === 'pending' && (attempts > 0 || next_attempt_at > at) ? next_attempt_at : null
}

function describeUnchanged({ change_seq: seq, document }: Listed) {
  if (document !== null) return [describeDocument(document)]
  const [due, cra] = [findDueDay(seq), findCraEvent(seq)]
  if (cra) return [describeCraEvent(cra)]
  if (findSnoozedSeq(seq) !== null) return [snoozeEndWords]
  if (findRisenSeq(seq) !== null) return [risenWords]
  return due === null ? null : [`Due on ${due}`]
}

function reportPath(reported_in: string) {
  const [kind, period, page] = JSON.parse(reported_in) as [string, string, number]
  return `${kind}/${period}?page=${page}`
}

/** An alert names so many of the items that it concerns. */
const maxConcerns = 5

const whoLeft = 'Those whom it was for have left'
const reasons = {
  disabled: 'Its kind is switched off, or rules leave it out',
  no_recipient: 'The organization has no alert address',
  unconfirmed: 'No alert address is confirmed yet',
  settled: 'The vulnerability is fixed or not interesting to you',
  snoozed: 'You snoozed the vulnerability',
  accepted: 'You accepted the risk',
  summarized: null,
  left_out: 'The groups, inventories, views or versions of your rules leave it out',
  trial_over: 'The trial is over: alerts are paused',
}
