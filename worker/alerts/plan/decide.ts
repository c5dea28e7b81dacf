import { findExclusion, findTaken, firedBits, isFiltering, joinFired, toFired } from '../../domain/alerts/alert-judge'
import type { Fired, JudgedVuln } from '../../domain/alerts/alert-judge'
import { alwaysBits, firstRule, movedBit, retoldBits, toBits, urgentBits } from '../../domain/alerts/alert-rules'
import type { AlertRule, RouteName } from '../../domain/alerts/alert-rules'
import { findDue } from '../../domain/alerts/alert-times'
import { stamp } from '../../db/time'
import { fireMoved, type Heard } from '../../domain/alerts/moved-news'
import { maxEntries, mayTake, type SeenFacts } from '../../domain/alerts/past'
import { askedBy, placeKey, type findAskedContext } from '../judge-context'
import type { ChangedVuln } from './changed-vulns'
import type { Concern } from './concerns'
import { messageKey, toldName, type LastMessage, type Taker } from './takers'

/** All that planning looks at. */
type PlanScene = {
  now: Date
  changed: Map<number, ChangedVuln>
  concerns: Concern[]
  takers: Map<number, Taker[]>
  /** Takers whose own rules are asked; all by default. Others may still be passed on to. */
  isAsked?: (taker: Taker) => boolean
  contexts: Awaited<ReturnType<typeof findAskedContext>>
  messages: Map<string, LastMessage>
  /** Mails of one run leave as one. */
  is_merged?: boolean
}

type PlannedAlert = Pick<Concern, 'org_id' | 'vuln_id' | 'change_seq' | 'last_seq' | 'rule' | 'suppressed'> & {
  fired: number
  from: Fired['from']
  /** How many messages of each channel there are. */
  planned: string
  /** JSON of the SeenFacts of its plannings; empty: nobody asked. */
  saw: string
}
type PlannedMessage = Pick<Concern, 'org_id' | 'vuln_id' | 'change_seq'> & {
  channel: RouteName
  target: string
  rule: AlertRule
  told: number
  status: 'pending' | 'held' | 'parked'
  due: string
  digest: string
  /** A route that takes it, reaches nobody and leads here. */
  escalated_from: RouteName | ''
}
/** A message that waits and also tells of what joined. */
type GrownMessage = Pick<LastMessage, 'id' | 'rule' | 'told' | 'status' | 'attempts'> & { isFreed: boolean }

export type AlertPlan = {
  alerts: PlannedAlert[]
  messages: PlannedMessage[]
  grown: GrownMessage[]
  /** Alerts that something urgent joined: an earlier acknowledgement had not seen it. */
  rung: number[]
  /** Alerts that something joined, as they were. */
  joined: (Pick<Concern, 'last_seq' | 'planned'> & { alert_id: number })[]
  /** Urgent alerts take no place of the daily number. `used` was gone before. */
  spent: { org_id: number; name: string; count: number; used: number }[]
}

/** Decides for each concern what is told to whom; nothing else does. */
export function decidePlan(scene: PlanScene): AlertPlan {
  const plan: AlertPlan = { alerts: [], messages: [], grown: [], rung: [], joined: [], spent: [] }
  const wanted: Wanted[] = []
  const told: Told = new Map()
  for (const concern of scene.concerns) {
    const vuln = scene.changed.get(concern.vuln_id)
    if (!vuln || (vuln.owner_id !== null && vuln.owner_id !== concern.org_id)) continue
    // All of it was planned before.
    if (concern.alert_id !== null && concern.last_seq >= vuln.last_seq) continue
    decideConcern(scene, { concern, vuln }, plan, { wanted, told })
  }
  return { ...plan, ...admit({ wanted, told }, scene) }
}

type Case = { concern: Concern; vuln: ChangedVuln }
type Wanted = { message: Omit<PlannedMessage, 'status' | 'due' | 'digest'>; taker: Taker; risk: number }

type Told = Map<Taker, Set<number>>
type Asked = { wanted: Wanted[]; told: Told }

/** Whether the channel may tell of the vulnerability today, which counts from then on. */
function mayTell(told: Told, taker: Taker, vuln_id: number) {
  const ids = told.get(taker) ?? new Set()
  const may = ids.has(vuln_id) || taker.told + ids.size < taker.most_told
  if (may) told.set(taker, ids.add(vuln_id))
  return may
}

function decideConcern(scene: PlanScene, { concern, vuln }: Case, plan: AlertPlan, { wanted, told }: Asked) {
  const { org_id, vuln_id, alert_id } = concern
  const fired = fireFor(concern, vuln)
  const triggered = joinEarlier(concern, fired)
  const values = { ...vuln.values, ...scene.contexts.get(placeKey(org_id, vuln_id)) }
  const takers = scene.takers.get(org_id) ?? []
  const taking = takers.flatMap((taker): Taking[] => {
    const rules = scene.isAsked?.(taker) === false ? [] : findTaken(taker, triggered, values)
    return rules.length ? [{ taker, rules }] : []
  })
  // A minor change becomes an alert only where it is urgent, some channel takes it, or what it asks of an organization alone leaves it out.
  const isMinor = !vuln.is_news && !taking.length && !(toBits(fired.rules) & urgentBits)
  const world = { triggered, vuln: values, isEpssKnown: concern.is_new !== 1 }
  if (isMinor && !(isFiltering(takers) && takers.some((taker) => mayTake(taker, world)))) return

  const telling = [...taking, ...passOn(takers, taking, { triggered, values })]
  const silence = concern.quiet ?? (isMinor ? 'left_out' : whySilent(telling.map(({ taker }) => taker)))
  const place = { org_id, vuln_id, change_seq: alert_id === null ? vuln.seq : concern.change_seq }
  const counts = new Map(Object.entries(JSON.parse(concern.planned ?? '{}') as Record<string, number>))
  if (alert_id !== null && !concern.quiet && firedBits(triggered) & ~concern.fired & urgentBits)
    plan.rung.push(alert_id)
  for (const { taker, rules, from } of silence === null ? telling : [])
    for (const target of taker.targets) {
      const { channel } = taker
      // Of news without a change `messages` holds the last ones on the vulnerability, under its number below 0.
      const last = scene.messages.get(messageKey(alert_id ?? -vuln_id, channel, target))
      const news = toBits(rules) | (firedBits(triggered) & alwaysBits)
      if (alert_id !== null && news & ~(last?.told ?? concern.fired) & urgentBits) plan.rung.push(alert_id)
      if (last && isWaiting(last)) plan.grown.push(...growMessage(last, news, () => mayTell(told, taker, vuln_id)))
      else if (!last || news & ~last.told & retoldBits) {
        const rule = firstRule(last ? news & ~last.told : toBits(rules))
        const message = {
          ...place,
          channel,
          target,
          rule,
          told: news | (last?.told ?? 0),
          escalated_from: from ?? ('' as const),
        }
        wanted.push({ message, taker, risk: vuln.risk })
        counts.set(channel, (counts.get(channel) ?? 0) + 1)
      }
    }
  if (alert_id !== null) plan.joined.push({ alert_id, last_seq: concern.last_seq, planned: concern.planned })
  plan.alerts.push({
    ...place,
    last_seq: vuln.last_seq,
    rule: nameAlert(concern, fired),
    fired: firedBits(triggered) | (concern.is_new === 2 ? movedBit : concern.fired & movedBit),
    from: triggered.from,
    suppressed: alert_id === null || silence === null ? silence : concern.suppressed,
    planned: JSON.stringify(Object.fromEntries(counts)),
    saw: noteSeen(concern, takers, values, vuln.last_seq),
  })
}

type Taking = { taker: Taker; rules: AlertRule[]; from?: RouteName }

/** Urgent alerts go past a route that reaches nobody at once: there is no message of them that could be escalated later. */
function passOn(takers: Taker[], taking: Taking[], { triggered, values }: { triggered: Fired; values: JudgedVuln }) {
  const passed = new Map<Taker, Taking>()
  for (const { taker, rules } of taking) {
    const isUrgent = ((toBits(rules) | (firedBits(triggered) & alwaysBits)) & urgentBits) !== 0
    const next = isUrgent && !taker.targets.length ? findReached(takers, taker, values) : undefined
    if (next && !taking.some((other) => other.taker === next))
      passed.set(next, { taker: next, rules, from: taker.channel })
  }
  return passed.values()
}

function findReached(takers: Taker[], from: Taker, values: JudgedVuln) {
  const tried = new Set([from.channel])
  for (let name = from.leads_to; name !== null && !tried.has(name);) {
    tried.add(name)
    const next = takers.find(({ channel }) => channel === name)
    if (next?.targets.length && findExclusion(next, values) === null) return next
    name = next?.leads_to ?? null
  }
  return undefined
}

/** Facts that no log keeps: by them the proof judges again. */
function noteSeen({ saw }: Concern, takers: Taker[], values: JudgedVuln, to: number) {
  if (!isFiltering(takers) && !takers.some(({ on_epss, rota }) => on_epss || rota)) return saw
  const before = JSON.parse(saw || '[]') as SeenFacts[]
  const { groups, inventories, views, verdict, epss, epss_percentile } = values
  const reached = takers.flatMap(({ channel, targets }) => (targets.length ? [channel] : []))
  const seen = { to, asked: askedBy(takers), groups, inventories, views, verdict, epss, epss_percentile, reached }
  return JSON.stringify([...before.slice(1 - maxEntries), seen])
}

function fireFor({ is_new, heard }: Concern, { triggered, values }: ChangedVuln): Fired {
  if (heard !== null) return fireMoved(triggered.known, values, JSON.parse(heard) as Heard)
  return triggered[is_new ? 'new' : 'known']
}

function joinEarlier({ alert_id, fired, score_from, cvss_from, cvss3_from }: Concern, now: Fired) {
  if (alert_id === null) return now
  return joinFired(now, toFired(fired, { score: score_from, cvss: cvss_from, cvss3: cvss3_from }))
}

function whySilent(taking: Taker[]) {
  if (!taking.length) return 'disabled'
  return taking.some(({ targets }) => targets.length) ? null : (taking[0]?.blocked ?? null)
}

const isWaiting = ({ status, attempts }: LastMessage) =>
  attempts === 0 && (status === 'pending' || status === 'held' || status === 'parked')

/** A held message, or one that waits for its hour, goes at once when it turns urgent. */
function growMessage(last: LastMessage, news: number, mayGo: () => boolean): GrownMessage[] {
  const added = news & ~last.told
  if (!added) return []
  const rule = firstRule(added | toBits([last.rule]))
  const isFreed = last.status !== 'parked' && (news & urgentBits) !== 0 && mayGo()
  return [{ ...last, rule, told: last.told | news, isFreed }]
}

/** More urgent changes rename the alert that they join. */
function nameAlert({ alert_id, is_new, rule: before }: Concern, { rules }: Fired): AlertRule {
  const names = is_new === 1 ? newNames : knownNames
  const rule = names.find((name) => rules.includes(name)) ?? 'score'
  if (alert_id === null) return rule
  const isPlain = before === 'updated' || before === 'score' || before === 'epss'
  return isPlain && toBits([rule]) & retoldBits ? rule : before
}

const newNames = ['malicious', 'new'] as const
const knownNames = [
  'malicious',
  'cleared',
  'cra',
  'kev',
  'exploitable',
  'overdue',
  'due',
  'fix',
  'updated',
  'new',
  'epss',
] as const

/**
 * Of each channel urgent alerts, and then the highest risk first; those above its daily number are held for the next report, and
 * those of a channel that is off, for the channel.
 */
function admit({ wanted, told }: Asked, { now, is_merged = false }: PlanScene) {
  const [messages, spent]: [PlannedMessage[], AlertPlan['spent']] = [[], []]
  for (const [taker, offered] of Map.groupBy(wanted, (message) => message.taker)) {
    const { org_id, channel, daily_max, is_off } = taker
    const byRisk = offered.toSorted((a, b) => b.risk - a.risk)
    const counted = new Set<number>()
    const later = findDue(taker, now)
    const [at, due] = [stamp(now), stamp(later.due)]
    for (const { message } of byRisk) {
      const isCounted = (message.told & urgentBits) === 0
      const isFull = daily_max > 0 && taker.used + counted.size >= daily_max && !counted.has(message.vuln_id)
      const isHeld = !is_off && ((isCounted && isFull) || !mayTell(told, taker, message.vuln_id))
      const status = is_off ? 'parked' : isHeld ? 'held' : 'pending'
      if (isCounted && status === 'pending') counted.add(message.vuln_id)
      const isLater = isCounted && status === 'pending'
      const leaves = isLater ? due : at
      const digest = is_merged || (isLater && later.isDigest) ? leaves : ''
      messages.push({ ...message, status, due: leaves, digest })
    }
    if (counted.size) spent.push({ org_id, name: channel, count: counted.size, used: taker.used })
  }
  for (const [taker, { size }] of told)
    if (Number.isFinite(taker.most_told))
      spent.push({ org_id: taker.org_id, name: toldName(taker), count: size, used: taker.told })
  return { messages, spent }
}
