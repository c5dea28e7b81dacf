import { alertRules, hasRule, ruleNames, toBits, urgentRules } from './alert-rules'
import type { AlertRule, defaultThresholds } from './alert-rules'
import type { VulnChange } from './change'
import { isAtMark, type EpssMark } from '../scores/epss'
import { verdictRank, type RunVerdict } from '../versions/verdict'

/** Rules and filters of a channel. */
export type ChannelRules = {
  on_new: boolean
  on_update: boolean
  on_exploitable: boolean
  on_kev: boolean
  on_fix: boolean
  /** Also of its all-clear. */
  on_malicious: boolean
  /** Vulnerabilities due tomorrow, and overdue ones. */
  on_due: boolean
  /** Reports that the Cyber Resilience Act asks for. */
  on_cra: boolean
  on_score: boolean
  score_value: number
  on_cvss: boolean
  cvss_value: number
  on_cvss3: boolean
  cvss3_value: number
  on_epss: boolean
  epss_value: EpssMark
  /** Null: all. */
  min_score: number | null
  /** Empty: all. */
  groups: string[]
  inventories: number[]
  views: number[]
  verdicts: RunVerdict[]
  /** Only vulnerabilities in KEV or with an exploit. */
  only_exploited: boolean
}

/** Facts of an organization that the rules of its channels ask for. */
export type AskedOf = Pick<ChannelRules, 'groups' | 'inventories' | 'views'>

/** The vulnerability as an organization has it. */
export type JudgedVuln = {
  score: number | null
  is_score_provisional: boolean
  cvss: number | null
  cvss3: number | null
  epss: number | null
  epss_percentile: number | null
  is_exploitable: boolean
  /** Called exploited by a catalogue, CISA's or another. */
  is_kev: boolean
  is_malicious: boolean
  /** Withdrawn: it has no score, group or verdict left by which a channel might leave it out. */
  is_rejected: boolean
  /** Of what the channels ask for: the groups of the items by which it is monitored, the inventories that bring it, the views that show it. */
  groups: string[]
  inventories: number[]
  views: number[]
  /** The worst of what runs; null where no version was told. */
  verdict: RunVerdict | null
}

export type Threshold = keyof typeof defaultThresholds
const thresholds = ['score', 'cvss', 'cvss3'] as const satisfies Threshold[]

/** Rules that several changes trigger: those without thresholds, and the value from which each number rose (-1: from nothing; null: it did not rise). */
export type Fired = { rules: AlertRule[]; from: Record<Threshold, number | null> }

type Log = { kind: string; changes: VulnChange[] }[]

/** CISA lists it, or another catalogue is the first that calls it exploited. */
export const isClaim = (change: VulnChange) =>
  (change.field === 'kev_added_at' && change.to !== null) ||
  (change.field === 'exploited_by' && change.is_first === true)

/** For a vulnerability that is new to an organization all rules fire that hold now. */
export function fireChanges(log: Log, isNew: boolean, vuln: JudgedVuln): Fired {
  const changes = log.flatMap((entry) => entry.changes)
  const happened = (test: (change: VulnChange) => boolean) => changes.some(test)
  const rules: [AlertRule, boolean][] = [
    ['new', isNew],
    ['updated', !isNew && log.some(({ kind }) => kind !== 'minor')],
    ['malicious', isNew ? vuln.is_malicious : happened((one) => one.field === 'is_malicious' && one.to)],
    ['cleared', !isNew && !vuln.is_malicious && happened((one) => one.field === 'is_malicious' && !one.to)],
    ['exploitable', isNew ? vuln.is_exploitable : happened((one) => one.field === 'is_exploitable' && one.to)],
    ['kev', isNew ? vuln.is_kev : happened(isClaim)],
    ['fix', !isNew && happened((one) => one.field === 'fixes')],
    ['epss', isNew ? vuln.epss !== null : happened((one) => one.field === 'epss' && (one.to ?? 0) > (one.from ?? 0))],
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
  malicious: 'on_malicious',
  cleared: 'on_malicious',
  due: 'on_due',
  overdue: 'on_due',
  cra: 'on_cra',
  score: 'on_score',
  cvss: 'on_cvss',
  cvss3: 'on_cvss3',
  epss: 'on_epss',
}

export const isThreshold = (rule: AlertRule): rule is Threshold => thresholds.some((one) => one === rule)

/** As long as it had no score, a least score left it out: with its first one it is news to the channel. */
const isScoredAtLast = ({ min_score }: ChannelRules, { from }: Fired, { is_kev, is_exploitable }: JudgedVuln) =>
  min_score !== null && min_score > 0 && from.score === -1 && !is_kev && !is_exploitable

function applies(rule: AlertRule, channel: ChannelRules, fired: Fired, vuln: JudgedVuln) {
  const { rules, from } = fired
  if (!channel[switches[rule]]) return false
  if (rule === 'new') return rules.includes(rule) || isScoredAtLast(channel, fired, vuln)
  if (rule === 'epss') return rules.includes(rule) && isAtMark(channel.epss_value, vuln)
  if (!isThreshold(rule)) return rules.includes(rule)
  const [before, now, mark] = [from[rule], vuln[rule], channel[`${rule}_value`]]
  return before !== null && now !== null && before < mark && now >= mark
}

/** Rules triggered by several runs of changes that are told as one. */
export const joinFired = (one: Fired, other: Fired): Fired => ({
  rules: alertRules.filter((rule) => one.rules.includes(rule) || other.rules.includes(rule)),
  from: {
    score: lower(one.from.score, other.from.score),
    cvss: lower(one.from.cvss, other.from.cvss),
    cvss3: lower(one.from.cvss3, other.from.cvss3),
  },
})
const lower = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b))

/** From the bits of an alert, and the values from which its scores rose. */
export const toFired = (bits: number, from: Fired['from']): Fired => ({
  rules: alertRules.filter((rule) => hasRule(bits, rule) && !isThreshold(rule)),
  from,
})

/** As bits, a score that rose among them, whether or not it crosses a threshold. */
export const firedBits = ({ rules, from }: Fired) =>
  toBits([...rules, ...thresholds.filter((one) => from[one] !== null)])

/** The triggered rules by which a channel takes a change: none when it leaves it out. */
export function findTaken(channel: ChannelRules, triggered: Fired, vuln: JudgedVuln) {
  const rules = alertRules.filter((rule) => applies(rule, channel, triggered, vuln))
  return rules.length && findExclusion(channel, vuln) === null ? rules : []
}

/** The triggered rule by which a channel takes a change, and why, in the order in which it is decided. */
export function judgeChannel(channel: ChannelRules, triggered: Fired, vuln: JudgedVuln): Judgement {
  const rule = alertRules.find((candidate) => applies(candidate, channel, triggered, vuln)) ?? null
  const reasons = [judgeRule(rule, channel, triggered), ...(vuln.is_rejected ? [] : judgeStanding(channel, vuln))]
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

function judgeExploited({ only_exploited }: ChannelRules, { is_kev, is_exploitable }: JudgedVuln): Reason[] {
  if (!only_exploited) return []
  const is_ok = is_kev || is_exploitable
  return [{ is_ok, text: is_ok ? 'It is exploited or has an exploit' : 'No exploit of it is known' }]
}

/** A vulnerability without a score passes a least score only when it is exploited; a provisional score leaves out nothing exploited. */
function hasScore({ min_score }: ChannelRules, { score, is_score_provisional, is_kev, is_exploitable }: JudgedVuln) {
  if (min_score === null) return true
  return score === null ? is_kev || is_exploitable : score >= min_score || (is_score_provisional && is_kev)
}

/** Why what a channel asks of a vulnerability leaves it out, whatever changed; null where nothing does. */
export const findExclusion = (channel: ChannelRules, vuln: JudgedVuln) =>
  vuln.is_rejected ? null : (judgeStanding(channel, vuln).find(({ is_ok }) => !is_ok)?.text ?? null)

const judgeStanding = (channel: ChannelRules, vuln: JudgedVuln): Reason[] => [
  ...judgeExploited(channel, vuln),
  ...judgeScore(channel, vuln),
  ...judgeGroups(channel, vuln),
  ...judgeAmong(channel.inventories, vuln.inventories, 'inventories', 'brings'),
  ...judgeAmong(channel.views, vuln.views, 'saved views', 'shows'),
  ...judgeVerdict(channel, vuln),
]

function judgeScore(channel: ChannelRules, vuln: JudgedVuln): Reason[] {
  const [{ min_score }, { score, is_score_provisional }] = [channel, vuln]
  if (min_score === null) return []
  const is_ok = hasScore(channel, vuln)
  if (score === null) {
    const text = is_ok
      ? 'It has no score, but it is exploited'
      : `It has no score yet, and the minimum score is ${min_score}`
    return [{ is_ok, text }]
  }
  const provisional = is_score_provisional ? 'provisional ' : ''
  const exploited = is_ok && score < min_score ? ', but it is exploited' : ''
  return [{ is_ok, text: `Its ${provisional}score is ${score}, the minimum score is ${min_score}${exploited}` }]
}

/** Some channel asks for groups, inventories, views or verdicts. */
export const isFiltering = (channels: ChannelRules[]) =>
  channels.some(({ groups, inventories, views, verdicts }) =>
    [groups, inventories, views, verdicts].some(({ length }) => length > 0),
  )

function judgeGroups({ groups }: ChannelRules, vuln: JudgedVuln): Reason[] {
  if (!groups.length) return []
  const common = groups.filter((label) => vuln.groups.includes(label))
  if (common.length) return [{ is_ok: true, text: `It concerns the group ${common.join(', ')}` }]
  return [{ is_ok: false, text: `It concerns no item of the group ${groups.join(' or ')}` }]
}

/** Items removed since leave nothing out. */
function judgeAmong(wanted: number[], found: number[], what: string, how: string): Reason[] {
  if (!wanted.length) return []
  const is_ok = wanted.some((id) => found.includes(id))
  return [{ is_ok, text: `${is_ok ? 'One' : 'None'} of the ${what} of its rules ${how} it` }]
}

const knownVerdict = ({ verdict }: JudgedVuln) =>
  verdict && verdictRank(verdict) > verdictRank('unknown') ? verdict : 'unknown'

function judgeVerdict({ verdicts }: ChannelRules, vuln: JudgedVuln): Reason[] {
  if (!verdicts.length) return []
  const verdict = knownVerdict(vuln)
  const text = `Whether your version is affected: ${verdict}. The channel takes: ${verdicts.join(', ')}`
  return [{ is_ok: verdicts.includes(verdict), text }]
}
