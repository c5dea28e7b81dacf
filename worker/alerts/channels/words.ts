import { hashToken } from '../../auth/keys'
import { cutText, joinSome, someLines } from '../../domain/words/short-lists'
import type { RunVerdict } from '../../domain/versions/verdict'
import { severities, severityLabels, type VulnSeverity } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import { findKind, routeNumber, type ChannelName, type RouteName } from '../../domain/alerts/alert-rules'

/** "PH-12 · CVE-2024-3094", or the PH number alone. */
export const nameWhole = ({ vuln: { id }, name }: AlertFacts, between = ' · ') =>
  `PH-${id}${name === `PH-${id}` ? '' : `${between}${name}`}`

/** By which a text of ours is known again: one changed by people stays. */
export const signText = async (text: string) => (await hashToken(text.trim())).slice(0, 8)

export const factLine = ({ severity, score, cvss, epss, kev, exploits }: AlertFacts) =>
  [
    severityLabels[severity],
    ...cvss.slice(0, 1).map(({ label, value }) => `${label} ${value}`),
    `Score ${score}`,
    ...(epss ? [`EPSS ${epss}`] : []),
    ...(kev ? [`CISA KEV ${kev}`] : []),
    ...(exploits ? [`Exploits ${exploits}`] : []),
  ].join(' · ')

/** Dark enough for white letters beside them, and never the only sign: the word stands there too. */
export const severityColors: Record<VulnSeverity, string> = {
  critical: '#c92a2a',
  high: '#c4510c',
  medium: '#8a6d00',
  low: '#1864ab',
  unscored: '#5f6770',
}

export function groupBySeverity<Told extends { alert: AlertFacts }>(tellings: Told[]) {
  return severities
    .map((severity) => ({ severity, tellings: tellings.filter(({ alert }) => alert.severity === severity) }))
    .filter((group) => group.tellings.length)
}

export function countTellings(tellings: { alert: AlertFacts }[]) {
  const counts = groupBySeverity(tellings).map(
    (group) => `${group.tellings.length} ${severityLabels[group.severity].toLowerCase()}`,
  )
  return `${tellings.length} ${tellings.length === 1 ? 'alert' : 'alerts'}: ${counts.join(', ')}`
}

/** A record's text is text, never a link, a picture or markup of ours. */
export const escapeMarkdown = (text: string) => text.replace(/[\\[\]()*_~`<>#]/g, (sign) => `\\${sign}`)

export const testTitle = 'Earshot test'
export const testText = 'This is a test: alerts of vulnerabilities that concern you arrive here.'

export const verdictWords: Record<RunVerdict, string> = {
  confirmed: 'you run an affected version',
  likely: 'you likely run an affected version',
  unknown: 'it is unknown whether your version is affected',
  not_affected: 'the versions you run are not affected',
}

/** A record may hold line ends. */
export const shortSummary = ({ vuln: { summary } }: AlertFacts, limit: number) =>
  cutText(summary.replace(/\s+/g, ' '), limit)

/** Why it concerns the readers of a chat, and what they may do. */
export const chatLines = (
  { ours, changed, fixes, came }: AlertFacts,
  most: number,
  escape = (text: string) => text,
) => [
  ...someLines(ours, most).map(escape),
  ...(changed.length ? [`Changed: ${escape(joinSome(changed, 6, '; '))}`] : []),
  ...(fixes.length ? [`Fixed in: ${escape(joinSome(fixes, 4, '; '))}`] : []),
  ...came,
]

type Markup = { bold: string; bullet: string; escape: (text: string) => string }
const maxLines = 12

/** An alert as paragraphs and lists, for receivers that read markup. */
export function writeMarkup(alert: AlertFacts, { bold, bullet, escape }: Markup) {
  const list = (title: string, lines: string[]) =>
    lines.length
      ? [`${title}:`, ...someLines(lines, maxLines).map((line) => `${bullet} ${escape(line)}`)].join('\n')
      : ''
  return [
    `${bold}${escape(alert.name)}${bold} ${alert.headline}`,
    factLine(alert),
    list('Why it concerns us', alert.ours),
    list('What changed', alert.changed),
    list('Fixed in', alert.fixes),
    list('How it came here', alert.came),
    alert.link,
  ]
    .filter(Boolean)
    .join('\n\n')
}

const labels: Record<ChannelName, string> = {
  email: 'e-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  thehive: 'TheHive',
  misp: 'MISP',
  webhook: 'webhook',
  mattermost: 'Mattermost',
  pagerduty: 'PagerDuty',
  jira: 'Jira',
  json: 'JSON webhook',
}

/** In a sentence: "Slack", "e-mail #2". */
export function labelRoute(route: RouteName) {
  const number = routeNumber(route)
  return number > 1 ? `${labels[findKind(route)]} #${number}` : labels[findKind(route)]
}
