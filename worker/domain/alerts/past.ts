import { findExclusion, findTaken, fireChanges, isFiltering, joinFired } from './alert-judge'
import type { AskedOf, ChannelRules, Fired, JudgedVuln } from './alert-judge'
import type { RouteName } from './alert-rules'
import type { VulnChange } from './change'

export type LoggedEntry = { seq: number; kind: string; changes: VulnChange[] }

/** The values before some changes, from those after them; `changes` as the log has them. Of EPSS it has only what rose. */
export function unwindChanges<Vuln extends JudgedVuln>(after: Vuln, changes: VulnChange[]): Vuln {
  const before = { ...after }
  for (const change of changes.toReversed()) {
    if (change.field === 'score' || change.field === 'cvss' || change.field === 'cvss3')
      before[change.field] = change.from
    if (change.field === 'score') before.is_score_provisional = change.provisional?.includes('from') ?? false
    if (change.field === 'kev_added_at') before.is_kev = change.from !== null
    if (change.field === 'exploited_by' && change.is_first) before.is_kev = false
    if (change.field === 'is_exploitable' || change.field === 'is_malicious') before[change.field] = !change.to
    if (change.field === 'state') before.is_rejected = change.from === 'rejected'
  }
  return before
}

/** Facts that stand in no log, as rules met them when the entries up to `to` were planned; written whenever some channel asks for them. */
export type SeenFacts = Pick<
  JudgedVuln,
  'groups' | 'inventories' | 'views' | 'verdict' | 'epss' | 'epss_percentile'
> & {
  to: number
  asked: AskedOf
  /** Channels that led to somebody. */
  reached: RouteName[]
}

/** An alert that was planned some days ago, as far as the change log tells. */
export type PastAlert = {
  /** The entries that it covers, oldest first. */
  run: LoggedEntry[]
  /** Those behind them that planning may have met already. */
  maybePlanned: LoggedEntry[]
  /** Those behind these, up to today. */
  later: LoggedEntry[]
  today: JudgedVuln
  /** The organization surely knew the vulnerability before. */
  is_known: boolean
  /** Oldest first. */
  seen: SeenFacts[]
}

/** Of one channel: its rules at each time at which the alert may have been planned, and those of the last of these. */
export type PastRules = { any: ChannelRules[]; last: ChannelRules[] }

/** Runs longer than this have too many ways in which they may have been planned. */
export const maxEntries = 6

/**
 * Whether a channel took an alert. Entries may have been planned together or one by one, and unknown facts of that time are tried in
 * each way: `taken` where each way of the last planning takes it, `left` where no way of any does.
 */
export function judgePast(alert: PastAlert, { any, last }: PastRules): 'taken' | 'left' | 'unsure' {
  const { run, maybePlanned } = alert
  if (!run.length || run.length > maxEntries || maybePlanned.length > maxEntries) return 'unsure'
  const worlds = listWorlds(alert)
  if (!any.some((rules) => worlds.some((world) => mayTake(rules, world)))) return 'left'
  const ends = worlds.filter(({ isLast }) => isLast)
  return last.every((rules) => ends.every((world) => surelyTakes(rules, world))) ? 'taken' : 'unsure'
}

type World = {
  triggered: Fired
  vuln: JudgedVuln
  isLast: boolean
  isEpssKnown: boolean
  facts?: SeenFacts | undefined
}

function listWorlds({ run, maybePlanned, later, today, is_known, seen }: PastAlert): World[] {
  const entries = [...run, ...maybePlanned]
  const values = entries.map((_, at) => {
    const since = [...entries.slice(at + 1), ...later].flatMap(({ changes }) => changes)
    const risen = findRise(entries.slice(0, at + 1))
    const value = { vuln: unwindChanges(today, since), risen }
    // The log does not tell which other catalogue called it exploited.
    return since.some(({ field }) => field === 'kev_added_at' || field === 'exploited_by')
      ? [true, false].map((is_kev) => ({ risen, vuln: { ...value.vuln, is_kev } }))
      : [value]
  })
  return run.flatMap(({ seq }, at) => {
    // Rules that ask were no rules then where no planning of just these entries wrote what it met.
    const facts = seen.find(({ to }) => to >= seq)
    return values
      .slice(at)
      .flat()
      .flatMap(({ vuln: logged, risen }) => {
        const vuln = { ...logged, ...facts, ...risen }
        const world = { vuln, facts, isEpssKnown: Boolean(risen ?? facts), isLast: at === run.length - 1 }
        return listFired(run.slice(0, at + 1), vuln, is_known).map((triggered) => ({ ...world, triggered }))
      })
  })
}

/** EPSS as the last of these entries left it; null where none tells. Nothing else moves it before the next day's scores. */
function findRise(entries: LoggedEntry[]) {
  const rise = entries.flatMap(({ changes }) => changes).findLast(({ field }) => field === 'epss')
  if (rise?.field !== 'epss' || !rise.percentiles) return null
  return { epss: rise.to, epss_percentile: rise.percentiles[1] }
}

/** New to the organization for none of the entries, for all, or for the first ones. */
function listFired(entries: LoggedEntry[], vuln: JudgedVuln, isKnown: boolean): Fired[] {
  const known = (from: number) => fireChanges(entries.slice(from), false, vuln)
  const isNew = entries.some(({ kind }) => kind === 'new')
  if (isKnown && !isNew) return [known(0)]
  const asNew = entries.map((_, at) => {
    const first = fireChanges(entries.slice(0, at + 1), true, vuln)
    return at + 1 < entries.length ? joinFired(first, known(at + 1)) : first
  })
  return isNew ? asNew : [known(0), ...asNew]
}

const isAnswered = (rules: ChannelRules, facts: SeenFacts | undefined) =>
  facts !== undefined &&
  (['groups', 'inventories', 'views'] as const).every((list) =>
    rules[list].every((one) => facts.asked[list].some((asked) => asked === one)),
  )

/** Questions that only the organization's groups, inventories, views and verdicts of that time would settle are left open. */
const asFarAsKnown = (rules: ChannelRules, facts: SeenFacts | undefined): ChannelRules =>
  isAnswered(rules, facts) ? rules : { ...rules, groups: [], inventories: [], views: [], verdicts: [] }

/** EPSS that is not known counts as any value. */
const surelyTakes = (rules: ChannelRules, { triggered, vuln, isEpssKnown, facts }: World) =>
  (!isFiltering([rules]) || vuln.is_rejected || isAnswered(rules, facts)) &&
  findTaken({ ...asFarAsKnown(rules, facts), on_epss: rules.on_epss && isEpssKnown }, triggered, vuln).length > 0

/** Whether rules take it if all groups, inventories, views and verdicts that are not known are as they ask. */
export function mayTake(rules: ChannelRules, { triggered, vuln, isEpssKnown, facts }: Omit<World, 'isLast'>) {
  const open = asFarAsKnown(rules, facts)
  const byEpss = !isEpssKnown && rules.on_epss && triggered.rules.includes('epss') && findExclusion(open, vuln) === null
  return byEpss || findTaken(open, triggered, vuln).length > 0
}
