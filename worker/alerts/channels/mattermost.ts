import { cutText, joinSome, someLines } from '../../domain/words/short-lists'
import type { AlertFacts } from './facts'
import type { Channel, Line, Telling } from './channel'
import { NotTaken, sendOut } from './outgoing'
import { countTellings, escapeMarkdown, factLine, nameWhole, severityColors, testText, testTitle } from './words'

/** Slack's older shape, which Mattermost, Rocket.Chat and Discord (at its address with /slack) read. */
export type AttachedMessage = {
  username: 'Earshot'
  text: string
  attachments: { fallback: string; color: string; title: string; title_link: string; text: string }[]
}

const maxAlerts = 10
/** Mattermost cuts a post at 16,383 characters. */
const maxBytes = 16_383
const maxText = 1_200
const maxSummary = 400

export const mattermost: Channel<AttachedMessage> = {
  limit: maxAlerts,
  maxBytes,
  render: (tellings) => ({
    username: 'Earshot',
    text: `Earshot: ${countTellings(tellings)}`,
    attachments: tellings.map(toAttachment),
  }),
  send: post,
  say: ({ title, lines, link }, line) => {
    const text = cutText(lines.map(escapeText).join('\n'), maxText)
    const about = {
      fallback: cutText(title, 300),
      color: severityColors.unscored,
      title: link.label,
      title_link: link.url,
      text,
    }
    return post({ username: 'Earshot', text: escapeText(title), attachments: [about] }, line)
  },
  test: (_, line) => post({ username: 'Earshot', text: `${testTitle}: ${testText}`, attachments: [] }, line),
}

function post(message: AttachedMessage, { env, secrets: { url } }: Line) {
  if (!url) throw new NotTaken('The channel has no address')
  return sendOut(env, { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) })
}

/** A word that would call a person or a whole channel is parted behind its sign, as the backslash keeps nobody from being called; a package of a scope is none. */
const escapeText = (text: string) =>
  escapeMarkdown(text).replace(/(?<![\w.-])@(?=[a-z][\w.\\-]*(?![\w.\\/-]))/gi, '@\u200b')

const alertTitle = (alert: AlertFacts) => `${nameWhole(alert)} ${alert.headline}`

function toAttachment({ alert }: Telling) {
  const { vuln, link, links, severity, ours, changed, fixes, came } = alert
  const lines = [
    `**${factLine(alert)}**`,
    escapeText(cutText(vuln.summary.replace(/\s+/g, ' '), maxSummary)),
    ...someLines(ours, 3).map(escapeText),
    ...(changed.length ? [`Changed: ${escapeText(joinSome(changed, 6, '; '))}`] : []),
    ...(fixes.length ? [`Fixed in: ${escapeText(joinSome(fixes, 4, '; '))}`] : []),
    ...came,
  ]
  const replies = links ? `\n[Acknowledge](${links.acknowledge}) · [Snooze for a week](${links.snooze})` : ''
  const title = cutText(alertTitle(alert), 300)
  return {
    fallback: title,
    color: severityColors[severity],
    title,
    title_link: link,
    text: cutText(lines.join('\n'), maxText) + replies,
  }
}
