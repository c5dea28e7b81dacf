import { hasRule, type AlertRule } from '../../domain/alerts/alert-rules'
import { isClaim } from '../../domain/alerts/alert-judge'
import type { VulnChange } from '../../domain/alerts/change'
import { describeCraEvent, describeCraHeadline, snoozeEndWords, risenWords } from '../../domain/alerts/news-numbers'
import type { CraEvent } from '../../domain/decisions/cra'
import { tellUncompared } from '../../domain/decisions/running'
import { movedWords } from '../../domain/alerts/moved-news'
import { epssPercent } from '../../domain/scores/epss'
import { idLinks } from '../../domain/names/id-links'
import { describeKnownExploits } from '../../domain/scores/flags'
import { maliceAdvice } from '../../domain/scores/malice'
import { withoutTurnsIn } from '../../domain/people/name'
import { itemName, productLabel } from '../../domain/names/product'
import { vulnSeverity, type VulnSeverity } from '../../domain/scores/severity'
import { joinSome } from '../../domain/words/short-lists'
import { speakRange } from '../../domain/versions/range'
import type { RunVerdict } from '../../domain/versions/verdict'
import type { VulnDetail } from '../../vulns/detail/contract'
import { changedLines } from '../change-log'

/** Pages that ask for one click. */
export type AlertLinks = { acknowledge: string; snooze: string }

export type AlertFacts = {
  id: number
  org_id: number
  org_name: string
  /** The rule by which its channel takes it. */
  rule: AlertRule
  at: string
  vuln: VulnDetail
  /** `CVE-2024-3094`, `MAL-2025-46969`, or the PH number of what nobody else named. */
  name: string
  /** The event: "is known to be exploited". */
  headline: string
  link: string
  /** Null where nobody can follow them. */
  links: AlertLinks | null
  severity: VulnSeverity
  /** "91/100". */
  score: string
  cvss: { label: string; value: string }[]
  epss: string | null
  kev: string | null
  exploits: string | null
  /** Why it concerns the organization, one line an item of its watchlist. */
  ours: string[]
  changed: string[]
  /** How it came to this receiver, where not by its own rules alone. */
  came: string[]
  /** Versions that end it, one line an item. */
  fixes: string[]
}

export type AlertSource = {
  id: number
  org_id: number
  org_name: string
  is_new: boolean
  at: string
  changes: VulnChange[]
  /** The due day, if it tells of one, and of no change. */
  due: string | null
  /** The event, if it tells of a report that the Cyber Resilience Act asks for. */
  cra: CraEvent | null
  /** It was snoozed when it changed. */
  was_snoozed: boolean
  /** Bits of the rules that fired, where the organization knew an advisory that is part of it now. */
  moved?: number
  /** The verdict on what runs rose. */
  has_risen?: boolean
  vuln: VulnDetail
}

/** All channels tell of an alert from these facts alone. */
export function describeAlert(
  told: AlertSource,
  rule: AlertRule,
  app_url: string,
  links: AlertLinks | null = null,
): AlertFacts {
  const source = withoutTurnsIn(told)
  const { vuln, changes, id, org_id, org_name, at } = source
  return {
    id,
    org_id,
    org_name,
    rule,
    at,
    vuln,
    name: vuln.known_as,
    headline: describeHeadline(source, rule),
    link: `${app_url}/${source.cra ? 'cra' : 'vulns'}/${vuln.id}`,
    links,
    severity: vulnSeverity(vuln),
    score: describeScore(vuln),
    cvss: [...cvssFact('CVSS 4', vuln.cvss4), ...cvssFact('CVSS 3', vuln.cvss3), ...cvssFact('CVSS 2', vuln.cvss)],
    epss: vuln.epss === null ? null : `${epssPercent(vuln.epss)} in 30 days`,
    kev: vuln.kev && `added ${vuln.kev.added}${vuln.kev.due ? `, due ${vuln.kev.due}` : ''}`,
    exploits: vuln.is_exploitable ? describeKnownExploits(vuln.exploit_count) : null,
    ours: [...vuln.monitored_by.map((item) => describeItem(item, vuln)), ...vuln.uncompared.map(tellUncompared)],
    changed: [
      ...(source.due === null ? [] : [`${rule === 'overdue' ? 'Was due' : 'Due'} on ${source.due}`]),
      ...(source.cra ? [describeCraEvent(source.cra)] : []),
      ...(source.was_snoozed ? [snoozeEndWords] : []),
      ...(source.moved ? [movedWords] : []),
      ...(source.has_risen ? [risenWords] : []),
      ...(vuln.is_malicious ? [maliceAdvice] : []),
      ...changedLines(mostNeededFirst(changes)),
    ],
    came: [],
    fixes: listFixes(vuln),
  }
}

/** A mail shows the first ones; the others follow as they were logged. */
const needed: readonly VulnChange['field'][] = [
  'created',
  'is_malicious',
  'state',
  'kev_added_at',
  'is_in_the_wild',
  'exploited_by',
  'is_exploitable',
  'fixes',
  'exploits',
  'score',
  'versions',
]
const mostNeededFirst = (changes: VulnChange[]) => [
  ...needed.flatMap((field) => changes.filter((change) => change.field === field)),
  ...changes.filter(({ field }) => !needed.includes(field)),
]

/** The words after the id in subjects and titles. */
function describeHeadline({ is_new, changes, moved = 0, vuln, due, cra }: AlertSource, rule: AlertRule) {
  if (cra) return describeCraHeadline(cra)
  if (due !== null) return rule === 'overdue' ? `is overdue since ${due}` : `is due on ${due}`
  const says = (test: (change: VulnChange) => boolean) => changes.some(test)
  if (vuln.is_malicious) return 'is malicious'
  if (is_new && (rule === 'new' || rule === 'updated')) return 'new vulnerability'
  if (says((change) => change.field === 'is_malicious' && !change.to)) return 'is no longer called malicious'
  if (says((change) => change.field === 'state' && change.to === 'rejected')) return 'rejected'
  if (rule === 'kev' || hasRule(moved, 'kev') || says(isClaim)) return 'is known to be exploited'
  if (
    rule === 'exploitable' ||
    hasRule(moved, 'exploitable') ||
    says((change) => change.field === 'is_exploitable' && change.to)
  )
    return 'has known exploits'
  const reached = is_new ? 'is new and reached' : 'reached'
  if (rule === 'score') return `${reached} a ${vuln.is_score_provisional ? 'provisional ' : ''}score of ${vuln.score}`
  if (rule === 'epss')
    return `${is_new ? 'is new and has' : 'rose to'} an EPSS of ${vuln.epss === null ? 'n/a' : epssPercent(vuln.epss)}`
  if (rule === 'cvss3') return `${reached} CVSS 3 ${vuln.cvss3?.toFixed(1)}`
  if (rule === 'cvss') return `${reached} CVSS 2 ${vuln.cvss?.toFixed(1)}`
  if (says((change) => change.field === 'fixes' && change.is_stated !== false)) return 'has a fix'
  return says(({ field }) => field === 'fixes') ? 'may have a fix' : 'updated'
}

const describeScore = ({ score, is_score_provisional, is_malicious }: VulnDetail) =>
  score === null ? 'n/a' : `${score}/100${is_score_provisional && !is_malicious ? ' (provisional)' : ''}`

const cvssFact = (label: string, score: number | null) => (score === null ? [] : [{ label, value: score.toFixed(1) }])

function describeItem({ via, id, name, vendor }: VulnDetail['monitored_by'][number], vuln: VulnDetail) {
  if (via === 'vuln') return 'You monitor this vulnerability'
  const running = vuln.runs.filter((run) => run.via === via && run.id === id && run.versions.length > 0)
  if (running.length)
    return `You run ${joinSome(
      running.map((run) => describeRun(run, vuln)),
      3,
      '; ',
    )}`
  const item = `You monitor the ${via} ${itemName({ via, vendor, name })}`
  const { versions = [], fixed = [] } =
    vuln.affected_items.find((affected) => affected.via === via && affected.id === id) ?? {}
  return versions.length ? `${item}: ${describeAffected(versions, fixed)}` : item
}

/** A source that excepts no version has mostly not said which; one that names fixes calls all before them affected. */
function describeAffected(versions: string[], fixed: string[]) {
  if (!versions.includes('all versions')) return `affected ${joinSome(versions.map(speakRange), 3, '; ')}`
  return fixed.length ? `affected before its fixes ${joinSome(fixed, 6)}` : 'no source narrows the versions down'
}

/** A rejected vulnerability says nothing of a version, even if it is not judged anew yet. */
const describeRun = (run: VulnDetail['runs'][number], { state }: VulnDetail) =>
  `${itemName(run)} ${joinSome(run.versions.map(state === 'rejected' ? ({ version }) => version : describeVersion), 3)}`

type Running = VulnDetail['runs'][number]['versions'][number]
const describeVersion = ({ version, verdict, fixed_in }: Running) =>
  `${version} (${verdictLabels[verdict]}${fixed_in ? `, fixed in ${fixed_in}` : ''})`

const verdictLabels: Record<RunVerdict, string> = {
  confirmed: 'affected',
  likely: 'likely affected',
  unknown: 'cannot tell',
  not_affected: 'not affected',
}

/** Of what is monitored first; without any of these, of whatever has a fix. */
function listFixes(vuln: VulnDetail) {
  const all = [
    ...vuln.affected.map(({ vendor, product, fixed, monitored }) => ({
      name: productLabel(vendor, product),
      fixed,
      monitored,
    })),
    ...vuln.affected_packages.map(({ purl, fixed, monitored }) => ({ name: purl, fixed, monitored })),
  ].filter(({ fixed }) => fixed.length)
  const ours = all.filter(({ monitored }) => monitored)
  const lines = (ours.length ? ours : all).map(({ name, fixed }) => `${name} ${joinSome(fixed, 6)}`)
  return [...new Set(lines)]
}

export const vulnIdLink = (name: string) => idLinks(name)[0]?.url ?? null
