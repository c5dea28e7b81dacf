import type { RunVerdict } from '../../domain/verdict'
import { severities } from './facts'
import type { AlertFacts, AlertSeverity } from './facts'

export const factLine = ({ score, cvss, epss, kev, exploits }: AlertFacts) =>
  [
    `Score ${score}`,
    ...cvss.slice(0, 1).map(({ label, value }) => `${label} ${value}`),
    ...(epss ? [`EPSS ${epss}`] : []),
    ...(kev ? [`CISA KEV ${kev}`] : []),
    ...(exploits ? [`Exploits ${exploits}`] : []),
  ].join(' · ')

export const severityWords: Record<AlertSeverity, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unscored: 'Not scored yet',
}

export function groupBySeverity<Told extends { alert: AlertFacts }>(tellings: Told[]) {
  return severities
    .map((severity) => ({ severity, tellings: tellings.filter(({ alert }) => alert.severity === severity) }))
    .filter((group) => group.tellings.length)
}

export function countTellings(tellings: { alert: AlertFacts }[]) {
  const counts = groupBySeverity(tellings).map(
    (group) => `${group.tellings.length} ${severityWords[group.severity].toLowerCase()}`,
  )
  return `${tellings.length} ${tellings.length === 1 ? 'alert' : 'alerts'}: ${counts.join(', ')}`
}

export const cutText = (text: string, limit: number) =>
  text.length > limit ? `${text.slice(0, limit - 1).trimEnd()}…` : text

/** What a record says is text, never a link, a picture or markup of ours. */
export const escapeMarkdown = (text: string) => text.replace(/[\\[\]()*_~`<>#]/g, (sign) => `\\${sign}`)

export const testTitle = 'Earshot test'
export const testText = 'This is a test: alerts of vulnerabilities that concern you arrive here.'

export const verdictWords: Record<RunVerdict, string> = {
  confirmed: 'you run an affected version',
  likely: 'you likely run an affected version',
  unknown: 'it is unknown whether your version is affected',
  not_affected: 'the versions you run are not affected',
}
