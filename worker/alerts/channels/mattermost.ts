import { joinSome, someLines } from '../../domain/short-lists'
import type { AlertFacts, AlertSeverity } from './facts'
import type { Channel, Line, Telling } from './channel'
import { NotTaken, sendOut } from './outgoing'
import { countTellings, cutText, escapeMarkdown, factLine, severityWords, testText, testTitle } from './words'

/** Slack's older shape, which Mattermost, Rocket.Chat and Discord (at its address with /slack) read. */
export type AttachedMessage = {
  username: 'Earshot'
  text: string
  attachments: { fallback: string; color: string; title: string; title_link: string; text: string }[]
}

/** Mattermost cuts a post at 16,383 characters. */
const maxAlerts = 10
const maxText = 1_200
const maxSummary = 400

const colors: Record<AlertSeverity, string> = {
  critical: '#c92a2a',
  high: '#c4510c',
  medium: '#8a6d00',
  low: '#1864ab',
  unscored: '#5f6770',
}

export const mattermost: Channel<AttachedMessage> = {
  limit: maxAlerts,
  render: (tellings) => ({
    username: 'Earshot',
    text: `Earshot: ${countTellings(tellings)}`,
    attachments: tellings.map(toAttachment),
  }),
  send: post,
  say: ({ title, lines, link }, line) => {
    const text = cutText(lines.map(escapeMarkdown).join('\n'), maxText)
    const about = {
      fallback: cutText(title, 300),
      color: colors.unscored,
      title: link.label,
      title_link: link.url,
      text,
    }
    return post({ username: 'Earshot', text: escapeMarkdown(title), attachments: [about] }, line)
  },
  test: (_, line) => post({ username: 'Earshot', text: `${testTitle}: ${testText}`, attachments: [] }, line),
}

function post(message: AttachedMessage, { env, secrets: { url } }: Line) {
  if (!url) throw new NotTaken('The channel has no address')
  return sendOut(env, { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) })
}

const alertTitle = ({ vuln, name, headline }: AlertFacts) => `PH-${vuln.id} · ${name} ${headline}`

function toAttachment({ alert }: Telling) {
  const { vuln, link, links, severity, ours, changed, fixes } = alert
  const lines = [
    `**${severityWords[severity]}** · ${factLine(alert)}`,
    escapeMarkdown(cutText(vuln.summary.replace(/\s+/g, ' '), maxSummary)),
    ...someLines(ours, 3).map(escapeMarkdown),
    ...(changed.length ? [`Changed: ${escapeMarkdown(joinSome(changed, 6, '; '))}`] : []),
    ...(fixes.length ? [`Fixed in: ${escapeMarkdown(joinSome(fixes, 4, '; '))}`] : []),
  ]
  const ways = links ? `[Acknowledge](${links.acknowledge}) · [Snooze for a week](${links.snooze})\n` : ''
  const title = cutText(alertTitle(alert), 300)
  return {
    fallback: title,
    color: colors[severity],
    title,
    title_link: link,
    text: ways + cutText(lines.join('\n'), maxText),
  }
}
