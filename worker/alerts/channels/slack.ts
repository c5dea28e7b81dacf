import { cutText } from '../../domain/words/short-lists'
import { severityLabels } from '../../domain/scores/severity'
import type { Channel, Telling } from './channel'
import { postToChannel } from './outgoing'
import {
  chatLines,
  countTellings,
  factLine,
  groupBySeverity,
  nameWhole,
  shortSummary,
  testText,
  testTitle,
} from './words'

/** Slack takes 50 blocks of 3,000 characters: one for the head, up to five for the groups. */
const maxAlerts = 40
const maxText = 3_000
const maxSummary = 500

export const slack: Channel<object> = {
  limit: maxAlerts,
  render: (tellings, { env }) => {
    const [{ alert }, ...others] = tellings
    const title = others.length ? `Earshot: ${countTellings(tellings)}` : `${alert.name} ${alert.headline}`
    return withTitle(
      title,
      groupBySeverity(tellings).flatMap((group) => [
        context(`*${severityLabels[group.severity]}* (${group.tellings.length}) · <${env.APP_URL}/alerts|All alerts>`),
        ...group.tellings.map(alertBlock),
      ]),
    )
  },
  send: (message, line) => postToChannel(line, message),
  say: ({ title, lines, link }, line) =>
    postToChannel(
      line,
      withTitle(title, [
        context(fitLines(lines.map(escapeText), maxText, link.url)),
        context(`<${link.url}|${escapeText(link.label)}>`),
      ]),
    ),
  test: (_, line) => postToChannel(line, { ...withTitle(testTitle, [context(testText)]), text: testText }),
}

const withTitle = (title: string, blocks: object[]) => ({
  text: escapeText(cutText(title, 300)),
  blocks: [{ type: 'header', text: { type: 'plain_text', text: cutText(title, 150) } }, ...blocks],
})
const context = (text: string) => ({ type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] })

function alertBlock({ delivery_id, alert }: Telling) {
  const { link, links, headline } = alert
  const lines = [
    `*<${link}|${escapeText(nameWhole(alert))}>* ${headline}`,
    escapeText(factLine(alert)),
    `> ${escapeText(shortSummary(alert, maxSummary))}`,
    ...chatLines(alert, 4, escapeText),
  ]
  const last = [
    ...(links ? [`<${links.acknowledge}|Acknowledge> · <${links.snooze}|Snooze for a week>`] : []),
    `<!date^${Math.floor(Date.parse(alert.at) / 1000)}^{date_short_pretty} {time}|${alert.at}>`,
  ].join('\n')
  // Slack repeats nothing by itself; the id tells a message that came twice from two messages.
  return {
    type: 'section',
    block_id: `delivery-${delivery_id}`,
    // A link in a record is none of ours.
    text: { type: 'mrkdwn', text: `${fitLines(lines, maxText - last.length - 1, link)}\n${last}`, verbatim: true },
  }
}

/** Whole lines only: a link or an entity that is cut in two would show its raw text. */
function fitLines(lines: string[], limit: number, link: string) {
  for (let count = lines.length; count > 0; count--) {
    const more = lines.length - count
    const shown = [...lines.slice(0, count), ...(more ? [`<${link}|and ${more} more lines>`] : [])].join('\n')
    if (shown.length <= limit) return shown
  }
  return `<${link}|Too long for Slack>`
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
