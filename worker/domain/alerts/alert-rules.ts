import * as z from 'zod'
import { labelMark, usualMark } from '../scores/epss'

/** Rules of alerts; if several apply to one change, the first of these names the message. */
export const alertRules = [
  'malicious',
  'cleared',
  'cra',
  'kev',
  'exploitable',
  'score',
  'cvss3',
  'cvss',
  'epss',
  'overdue',
  'due',
  'fix',
  'new',
  'updated',
] as const
export type AlertRule = (typeof alertRules)[number]

/**
 * News that no daily number holds back, whichever rule takes it: malice and its all-clear, a report that the law asks for, known to be
 * exploited, a first exploit, a threshold that somebody switched on.
 */
export const urgentRules = [
  'malicious',
  'cleared',
  'cra',
  'kev',
  'exploitable',
  'score',
  'cvss3',
  'cvss',
] as const satisfies AlertRule[]

const places: Record<AlertRule, number> = {
  new: 0,
  updated: 1,
  exploitable: 2,
  kev: 3,
  fix: 4,
  score: 5,
  cvss: 6,
  cvss3: 7,
  malicious: 8,
  cleared: 9,
  due: 10,
  overdue: 11,
  cra: 12,
  epss: 13,
}
const ruleBit = (rule: AlertRule) => 2 ** places[rule]

/** Rules as the one number that a row holds. */
export const toBits = (rules: readonly AlertRule[]) => rules.reduce((bits, rule) => bits | ruleBit(rule), 0)
export const hasRule = (bits: number, rule: AlertRule) => (bits & ruleBit(rule)) !== 0
/** The rule after which a message with these bits is named. */
export const firstRule = (bits: number) => alertRules.find((rule) => hasRule(bits, rule)) ?? 'updated'
export const newBit = ruleBit('new')
/** Of an alert to whoever knew its advisory, beside the bits of its rules. */
export const movedBit = 2 ** 14
export const urgentBits = toBits(urgentRules)
/** A channel that takes an alert at all is told of these, whichever rules are switched on. */
export const alwaysBits = toBits(['malicious', 'cleared', 'kev', 'exploitable'])
/** A second message tells of it when the first had left. */
export const retoldBits = urgentBits | ruleBit('fix')

/** As screens call them. */
export const ruleNames: Record<AlertRule, string> = {
  new: 'A new vulnerability',
  updated: 'A changed vulnerability',
  exploitable: 'A first exploit',
  kev: 'Known to be exploited (CISA KEV, EU KEV …)',
  fix: 'A fix',
  due: 'Due tomorrow',
  overdue: 'Overdue',
  cra: 'A report of the CRA',
  malicious: 'A malicious package',
  cleared: 'No longer called malicious',
  score: 'Score reached',
  cvss: 'CVSS v2 reached',
  cvss3: 'CVSS v3 reached',
  epss: 'A rise of EPSS',
}

/** Kinds of receivers of which the first stands in the settings of an organization. */
export const settingsChannels = ['email', 'slack', 'teams', 'thehive', 'misp', 'webhook'] as const
export const channelNames = [...settingsChannels, 'mattermost', 'pagerduty', 'jira', 'json'] as const
export type ChannelName = (typeof channelNames)[number]

/** One receiver of an organization: the first of its kind, or another one by its number, as `slack-2`. */
export const RouteName = z.union([
  z.enum(channelNames),
  z.templateLiteral([z.enum(channelNames), '-', z.int().min(2).max(99)]),
])
export type RouteName = z.output<typeof RouteName>
const kinds = new Map<string, ChannelName>(channelNames.map((name) => [name, name]))
export const findKind = (route: RouteName) => kinds.get(route.split('-')[0] ?? '') ?? 'webhook'
export const routeNumber = (route: RouteName) => Number(route.split('-')[1] ?? 1)

/** Alerts a day at once where nobody set a number; 0: all, as a machine is disturbed by none. */
export const usualDaily: Record<ChannelName, number> = {
  email: 20,
  slack: 20,
  teams: 20,
  thehive: 0,
  misp: 0,
  webhook: 0,
  mattermost: 20,
  pagerduty: 0,
  jira: 0,
  json: 0,
}

/** When what is not urgent leaves: at once, with the others of the hour, or of the day. */
export const paces = ['now', 'hourly', 'daily'] as const

/** `held` waits for the next report, `reported` stood in one, `parked` waits until a channel that we switched off works again. */
export const deliveryStatuses = [
  'pending',
  'sending',
  'sent',
  'dead',
  'suppressed',
  'held',
  'reported',
  'parked',
] as const
/** Why an alert goes to no receiver. */
export const suppressions = [
  'disabled',
  'no_recipient',
  'unconfirmed',
  'trial_over',
  'settled',
  'snoozed',
  'accepted',
  'summarized',
  'left_out',
] as const

export const defaultThresholds = { score: 80, cvss: 8, cvss3: 8 }
const defaultMarks = { ...defaultThresholds, epss: usualMark }

const scoreMessage = 'Score has to be between 0 and 100. Default is 80'
const cvssMessage = 'CVSS score has to be between 0 and 10. Default is 8.0'

const threshold = (max: number, message: string) =>
  z.preprocess(
    // An empty field of a form is no zero.
    (value: number | string) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
    z.number({ error: message }).min(0, message).max(max, message),
  )
export const ScoreThreshold = threshold(100, scoreMessage)
export const CvssThreshold = threshold(10, cvssMessage)

export function describeRule(rule: AlertRule, values = defaultMarks) {
  const crossing = (what: string, value: number) =>
    `When ${what} of a monitored vulnerability reaches ${value} from below, or a new one begins there; not again while it stays.`
  const words: Record<AlertRule, string> = {
    new: 'When a vulnerability of something that you monitor is published, an older one first names it, or a further document of an inventory brings it.',
    updated:
      'When a monitored vulnerability changes: CVSS, exploits, affected versions or state; not for other words or links.',
    exploitable: 'When a first exploit of a monitored vulnerability becomes known.',
    malicious: 'When a package that you monitor or run is called malicious, and when that is taken back.',
    cleared: 'When a package that was called malicious no longer is; a channel that takes the one takes the other.',
    kev: 'When CISA lists a monitored vulnerability as exploited, or another catalogue is the first to call it so.',
    fix: 'When a source names a version that fixes a monitored vulnerability, or the first that is not listed as affected.',
    due: 'When a monitored vulnerability that is open is due the next day, and when its day has passed; once for each day.',
    overdue: 'When the due day of a monitored vulnerability has passed and it is still open; once for each day.',
    cra: 'When a vulnerability that is known to be exploited affects an inventory of what you make, and before each report that the Cyber Resilience Act asks for is due. Quiet hours do not hold it.',
    score: crossing('the score', values.score),
    cvss: crossing('CVSS 2', values.cvss),
    cvss3: crossing('CVSS 3', values.cvss3),
    epss: `When the EPSS of a monitored vulnerability rises past a percentile (90, 95, 99), past 10, 50 or 90%, or tenfold, and is then at ${labelMark(values.epss)} or above, or a new one begins there. Scores of a new model are no rise.`,
  }
  return words[rule]
}
