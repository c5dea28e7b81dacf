import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { isFiltering } from '../../domain/alerts/alert-judge'
import { movedBit, type RouteName } from '../../domain/alerts/alert-rules'
import type { VulnChange } from '../../domain/alerts/change'
import { judgePast, type SeenFacts } from '../../domain/alerts/past'
import type { alerts } from '../../schema/alerts'
import { readChanged, type LogRow } from '../plan/changed-vulns'
import { findTakers, type Taker } from '../plan/takers'
import type { Doubt, Outcome } from './contract'
import { findQuietThen, findRulesThen, span, type RulesThen } from './rules-then'

/** A change of the day, whom it concerned, and the alert that covers it; none covers what is minor and told nobody. */
export type CoveredChange = Pick<
  typeof alerts.$inferSelect,
  | 'org_id'
  | 'vuln_id'
  | 'change_seq'
  | 'last_seq'
  | 'created_at'
  | 'updated_at'
  | 'fired'
  | 'suppressed'
  | 'planned'
  | 'saw'
> & {
  seq: number
  outcome: Exclude<Outcome, 'lost' | 'unsure'> | 'untold'
  alert_id: number | null
  trial_ends_at: string | null
  /** JSON array: the channels whose own rules took it, as its messages say. */
  taken_by: string
  is_known: 0 | 1
}

/**
 * Verdict of the rules of then on an alert: which channels should have been told and were not, which were told and should not
 * have been, and why they do not tell it of all.
 */
export type JudgedByRules = {
  changes: CoveredChange[]
  missed: RouteName[]
  unasked: RouteName[]
  doubt: Doubt | null
}

/** More entries of the log than these are not read at once: the entries behind them are not judged. */
const maxLogged = 20_000

/** Expected receivers of these changes, by the rules, decisions and values as they stood when they were planned; the plans are asked only then. */
export async function judgeByRules(db: Db, covered: CoveredChange[]): Promise<JudgedByRules[]> {
  const org_ids = [...new Set(covered.map(({ org_id }) => org_id))]
  const [log, takers, rulesThen, quietThen] = await Promise.all([
    findLog(db, covered),
    findTakers(db, covered, new Date(covered[0]?.created_at ?? 0)),
    findRulesThen(db, org_ids),
    findQuietThen(db, covered),
  ])
  const vulns = await readChanged(db, log.entries)
  const logged = Map.groupBy(log.entries, ({ vuln_id }) => vuln_id)
  const told = Map.groupBy(covered, ({ org_id, alert_id, seq }) => alert_id ?? `${org_id} ${seq}`)
  return [...told.values()].flatMap((changes): JudgedByRules[] => {
    const [alert] = changes
    if (!alert) return []
    const today = vulns.get(alert.vuln_id)?.values
    const entries = logged.get(alert.vuln_id)
    // No log keeps what whoever knew an advisory had heard of it.
    if (!today || !entries || !log.is_whole || alert.fired & movedBit)
      return [{ changes, missed: [], unasked: [], doubt: 'values' }]
    const past = {
      ...splitLog(entries, alert),
      today,
      is_known: alert.is_known === 1 && alert.seq === alert.change_seq,
      seen: readSeen(alert),
    }
    const verdicts = (takers.get(alert.org_id) ?? []).map((taker) => {
      const then = rulesThen(taker, alert)
      // Nothing tells by which of them what told nobody was planned.
      const rules = then && alert.alert_id === null ? { ...then, last: then.any } : then
      return { taker, rules, verdict: rules ? judgePast(past, rules) : ('unsure' as const) }
    })
    return [{ changes, ...compare(alert, verdicts, quietThen(alert)) }]
  })
}

const readSeen = ({ saw }: CoveredChange) => JSON.parse(saw || '[]') as SeenFacts[]

type Judged = { taker: Taker; rules: RulesThen | null; verdict: ReturnType<typeof judgePast> }
const byDecision = ['settled', 'snoozed', 'accepted']

function compare(alert: CoveredChange, judged: Judged[], quiet: ReturnType<Awaited<ReturnType<typeof findQuietThen>>>) {
  const { outcome, suppressed, trial_ends_at, created_at } = alert
  const sayNothing = (doubt: Doubt | null) => ({ missed: [], unasked: [], doubt })
  const isTrialOver = trial_ends_at !== null && trial_ends_at <= created_at
  if (suppressed === 'trial_over' || (outcome === 'untold' && isTrialOver))
    return sayNothing(isTrialOver ? null : 'rules')
  if (quiet === 'unsure') return sayNothing('decisions')
  const planned = JSON.parse(alert.planned) as Record<string, number>
  const takenBy = new Set(JSON.parse(alert.taken_by) as RouteName[])
  if (quiet === 'quiet')
    return {
      missed: [],
      unasked: suppressed === null ? [...takenBy] : [],
      doubt: suppressed === null || byDecision.includes(suppressed) ? null : ('decisions' as const),
    }
  // The last planning knew where each channel leads, where nothing else tells it.
  const reached = readSeen(alert).at(-1)?.reached
  const isReached = ({ taker: { channel }, rules }: Judged) => rules?.is_reached ?? reached?.includes(channel) ?? null
  const isMissed = (channel: Judged) =>
    channel.verdict === 'taken' && isReached(channel) === true && !planned[channel.taker.channel]
  const missed = judged.filter(isMissed).map(({ taker }) => taker.channel)
  const unasked = judged.filter(({ taker, verdict }) => verdict === 'left' && takenBy.has(taker.channel))
  const known = new Set<string>(judged.map(({ taker }) => taker.channel))
  // A channel that is gone has no rules left.
  const gone = Object.keys(planned).every((channel) => known.has(channel)) ? null : ('rules' as const)
  return {
    missed,
    unasked: unasked.map(({ taker }) => taker.channel),
    doubt:
      judged.map((channel) => findDoubt(channel, planned, isReached(channel))).find((doubt) => doubt !== null) ?? gone,
  }
}

/** Unknown parts of a channel's rules, of its target, or of the facts that they ask for. */
function findDoubt(
  { taker, rules, verdict }: Judged,
  planned: Record<string, number>,
  isReached: boolean | null,
): Doubt | null {
  if (verdict === 'left') return null
  if (verdict === 'taken') return planned[taker.channel] || isReached !== null ? null : 'rules'
  if (!rules) return 'rules'
  if (isFiltering(rules.any)) return 'filters'
  if (rules.any.some(({ on_epss }) => on_epss)) return 'epss'
  return rules.any.length > 1 ? 'rules' : 'values'
}

type Entry = LogRow & { at: string; is_backfill: 0 | 1 }

/** From the first entry that an alert covers up to today. */
async function findLog(db: Db, covered: CoveredChange[]) {
  const first = new Map<number, number>()
  for (const { vuln_id, change_seq } of covered)
    first.set(vuln_id, Math.min(first.get(vuln_id) ?? change_seq, change_seq))
  const entries = await db.all<Entry>(sql`
    SELECT c.seq, c.vuln_id, c.kind, c.detail, c.at, c.is_backfill FROM json_each(${JSON.stringify([...first])}) v
    CROSS JOIN vuln_changes c ON c.vuln_id = v.value ->> 0 AND c.seq >= v.value ->> 1 ORDER BY c.seq LIMIT ${literal(maxLogged)}`)
  return { entries, is_whole: entries.length < maxLogged }
}

/** Entries that the alert covers, those that planning may have met already, and later ones. */
function splitLog(entries: Entry[], { change_seq, last_seq, updated_at }: CoveredChange) {
  const logged = entries
    .filter(({ seq }) => seq >= change_seq)
    .map(({ detail, ...entry }) => ({ ...entry, changes: JSON.parse(detail) as VulnChange[] }))
  const end = stamp(plusSeconds(new Date(updated_at), span.after_s))
  const since = logged.filter(({ seq }) => seq > last_seq)
  return {
    run: logged.filter(({ seq, is_backfill }) => seq <= last_seq && !is_backfill),
    maybePlanned: since.filter(({ at }) => at <= end),
    later: since.filter(({ at }) => at > end),
  }
}
