import { cutText } from '../../domain/words/short-lists'
import type { Channel, Telling } from './channel'
import { postToChannel } from './outgoing'
import {
  chatLines,
  countTellings,
  escapeMarkdown,
  factLine,
  nameWhole,
  severityColors,
  shortSummary,
  testText,
  testTitle,
} from './words'

const maxAlerts = 10
/** Mattermost cuts a post at 16,383 characters. */
const maxBytes = 16_383
const maxText = 1_200
const maxSummary = 400

/** Slack's older shape, which Mattermost, Rocket.Chat and Discord (at its address with /slack) read. */
export const mattermost: Channel<object> = {
  limit: maxAlerts,
  maxBytes,
  render: (tellings) => post(`Earshot: ${countTellings(tellings)}`, tellings.map(toAttachment)),
  send: (message, line) => postToChannel(line, message),
  say: ({ title, lines, link }, line) => {
    const text = cutText(lines.map(escapeText).join('\n'), maxText)
    const about = {
      fallback: cutText(title, 300),
      color: severityColors.unscored,
      title: link.label,
      title_link: link.url,
      text,
    }
    return postToChannel(line, post(escapeText(title), [about]))
  },
  test: (_, line) => postToChannel(line, post(`${testTitle}: ${testText}`, [])),
}

const post = (text: string, attachments: object[]) => ({ username: 'Earshot', text, attachments })

/** A word that would call a person or a whole channel is parted behind its sign, as the backslash keeps nobody from being called; a package of a scope is none. */
const escapeText = (text: string) =>
  escapeMarkdown(text).replace(/(?<![\w.-])@(?=[a-z][\w.\\-]*(?![\w.\\/-]))/gi, '@\u200b')

function toAttachment({ alert }: Telling) {
  const { link, links, severity } = alert
  const lines = [
    `**${factLine(alert)}**`,
    escapeText(shortSummary(alert, maxSummary)),
    ...chatLines(alert, 3, escapeText),
  ]
  const replies = links ? `\n[Acknowledge](${links.acknowledge}) · [Snooze for a week](${links.snooze})` : ''
  const title = cutText(`${nameWhole(alert)} ${alert.headline}`, 300)
  return {
    fallback: title,
    color: severityColors[severity],
    title,
    title_link: link,
    text: cutText(lines.join('\n'), maxText) + replies,
  }
}
