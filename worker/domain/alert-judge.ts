import { alertRules, ruleNames, urgentRules } from './alert-rules'
import type { AlertRule, defaultThresholds } from './alert-rules'
import type { VulnChange } from './change'
import { verdictRank } from './verdict'
import type { RunVerdict } from './verdict'

/** Which alerts a channel sends, and its filters. */
type ChannelRules = {
  on_new: boolean
  on_update: boolean
  on_exploitable: boolean
  on_kev: boolean
  on_fix: boolean
  on_score: boolean
  score_value: number
  on_cvss: boolean
  cvss_value: number
  on_cvss3: boolean
  cvss3_value: number
  /** Null: all. */
  min_score: number | null
  /** Empty: all. */
  groups: string[]
  verdicts: RunVerdict[]
}

/** The vulnerability as an organization has it. */
export type JudgedVuln = {
  score: number | null
  is_score_provisional: boolean
  cvss: number | null
  cvss3: number | null
  is_exploitable: boolean
  is_kev: boolean
  /** The groups of the items by which it is monitored. */
  groups: string[]
  /** The worst of what runs; null where no version was told. */
  verdict: RunVerdict | null
}

export type Threshold = keyof typeof defaultThresholds
const thresholds = ['score', 'cvss', 'cvss3'] as const satisfies Threshold[]

/** What several changes fire: rules without thresholds, and the value from which each number rose (-1: from nothing; null: it did not rise). */
export type Fired = { rules: AlertRule[]; from: Record<Threshold, number | null> }

type Log = { kind: string; changes: VulnChange[] }[]

/** For a vulnerability that is new to an organization all rules fire that hold now. */
export function fireChanges(log: Log, isNew: boolean, vuln: JudgedVuln): Fired {
  const changes = log.flatMap((entry) => entry.changes)
  const happened = (test: (change: VulnChange) => boolean) => changes.some(test)
  const rules: [AlertRule, boolean][] = [
    ['new', isNew],
    ['updated', !isNew && log.some(({ kind }) => kind !== 'minor')],
    ['exploitable', isNew ? vuln.is_exploitable : happened((one) => one.field === 'is_exploitable' && one.to)],
    ['kev', isNew ? vuln.is_kev : happened((one) => one.field === 'kev_added_at' && one.to !== null)],
    ['fix', !isNew && happened((one) => one.field === 'fixes')],
  ]
  const lowest = (field: Threshold) => {
    const value = vuln[field]
    if (value === null) return null
    if (isNew) return -1
    const values = changes.flatMap((one) => (one.field === field ? [one.from ?? -1] : []))
    const from = values.length ? Math.min(...values) : null
    return from !== null && from < value ? from : null
  }
  return {
    rules: rules.filter(([, isFired]) => isFired).map(([rule]) => rule),
    from: { score: lowest('score'), cvss: lowest('cvss'), cvss3: lowest('cvss3') },
  }
}

/** Whether an alert that a channel takes by a rule is outside its daily number. */
export const isUrgent = (rule: AlertRule, { rules }: Fired) =>
  urgentRules.some((one) => one === rule || (!isThreshold(one) && rules.includes(one)))

export type Reason = { is_ok: boolean; text: string }
type Judgement = { rule: AlertRule | null; reasons: Reason[] }

const switches: Record<AlertRule, keyof ChannelRules> = {
  new: 'on_new',
  updated: 'on_update',
  exploitable: 'on_exploitable',
  kev: 'on_kev',
  fix: 'on_fix',
  score: 'on_score',
  cvss: 'on_cvss',
  cvss3: 'on_cvss3',
}

const isThreshold = (rule: AlertRule): rule is Threshold => thresholds.some((one) => one === rule)

function applies(rule: AlertRule, channel: ChannelRules, { rules, from }: Fired, vuln: JudgedVuln) {
  if (!channel[switches[rule]]) return false
  if (!isThreshold(rule)) return rules.includes(rule)
  const [before, now, mark] = [from[rule], vuln[rule], channel[`${rule}_value`]]
  return before !== null && now !== null && before < mark && now >= mark
}

/** Whether a channel takes what was fired, and why, in the order in which it is decided; planning decides the same in SQL. */
export function judgeChannel(channel: ChannelRules, fired: Fired, vuln: JudgedVuln): Judgement {
  const rule = alertRules.find((one) => applies(one, channel, fired, vuln)) ?? null
  const reasons = [
    judgeRule(rule, channel, fired),
    ...judgeScore(channel, vuln),
    ...judgeGroups(channel, vuln),
    ...judgeVerdict(channel, vuln),
  ]
  return { rule: reasons.every(({ is_ok }) => is_ok) ? rule : null, reasons }
}

function judgeRule(rule: AlertRule | null, channel: ChannelRules, { rules, from }: Fired): Reason {
  if (rule) return { is_ok: true, text: `The rule "${ruleNames[rule]}" applies` }
  const off = rules.filter((one) => !channel[switches[one]])
  if (off.length) return { is_ok: false, text: `Switched off: ${off.map((one) => `"${ruleNames[one]}"`).join(', ')}` }
  const risen = thresholds.filter((one) => from[one] !== null)
  if (risen.length) return { is_ok: false, text: 'No score rose above a threshold that is switched on' }
  return { is_ok: false, text: 'No rule applies: no score rose, and no rule is about this kind of change' }
}

function judgeScore({ min_score }: ChannelRules, vuln: JudgedVuln): Reason[] {
  const { score, is_score_provisional, is_kev, is_exploitable } = vuln
  if (min_score === null) return []
  if (score === null) {
    const is_ok = is_kev || is_exploitable
    const text = is_ok
      ? 'It has no score, but it is exploited'
      : `It has no score yet, and the minimum score is ${min_score}`
    return [{ is_ok, text }]
  }
  const is_ok = score >= min_score
  return [
    {
      is_ok,
      text: `Its ${is_score_provisional ? 'provisional ' : ''}score is ${score}, the minimum score is ${min_score}`,
    },
  ]
}

function judgeGroups({ groups }: ChannelRules, vuln: JudgedVuln): Reason[] {
  if (!groups.length) return []
  const common = groups.filter((label) => vuln.groups.includes(label))
  if (common.length) return [{ is_ok: true, text: `It concerns the group ${common.join(', ')}` }]
  return [{ is_ok: false, text: `It concerns no item of the group ${groups.join(' or ')}` }]
}

function judgeVerdict({ verdicts }: ChannelRules, { verdict }: JudgedVuln): Reason[] {
  if (!verdicts.length) return []
  const known = verdict && verdictRank(verdict) > verdictRank('unknown') ? verdict : 'unknown'
  const is_ok = verdicts.includes(known)
  return [{ is_ok, text: `Whether your version is affected: ${known}. The channel takes: ${verdicts.join(', ')}` }]
}
