import { cutText, joinSome, someLines } from '../../domain/words/short-lists'
import { severityLabels } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import type { Channel, Line, Telling } from './channel'
import { NotTaken, sendOut } from './outgoing'
import { countTellings, factLine, groupBySeverity, nameWhole, testText, testTitle } from './words'

type Block =
  | { type: 'header'; text: { type: 'plain_text'; text: string } }
  | { type: 'context'; elements: { type: 'mrkdwn'; text: string; verbatim: true }[] }
  | { type: 'section'; block_id: string; text: { type: 'mrkdwn'; text: string; verbatim: true } }
export type SlackMessage = { text: string; blocks: Block[] }

/** Slack takes 50 blocks of 3,000 characters: one for the head, up to five for the groups. */
const maxAlerts = 40
const maxText = 3_000
const maxSummary = 500

export const slack: Channel<SlackMessage> = {
  limit: maxAlerts,
  render: (tellings, { env }) => {
    const [first] = tellings
    const title = tellings.length === 1 && first ? alertTitle(first.alert) : `Earshot: ${countTellings(tellings)}`
    return {
      text: escapeText(cutText(title, 300)),
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: cutText(title, 150) } },
        ...groupBySeverity(tellings).flatMap((group) => [
          context(
            `*${severityLabels[group.severity]}* (${group.tellings.length}) · <${env.APP_URL}/alerts|All alerts>`,
          ),
          ...group.tellings.map(alertBlock),
        ]),
      ],
    }
  },
  send: post,
  say: ({ title, lines, link }, line) =>
    post(
      {
        text: escapeText(cutText(title, 300)),
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: cutText(title, 150) } },
          context(fitLines(lines.map(escapeText), maxText, link.url)),
          context(`<${link.url}|${escapeText(link.label)}>`),
        ],
      },
      line,
    ),
  test: (_, line) =>
    post(
      {
        text: testText,
        blocks: [{ type: 'header', text: { type: 'plain_text', text: testTitle } }, context(testText)],
      },
      line,
    ),
}

function post(message: SlackMessage, { env, secrets: { url } }: Line) {
  if (!url) throw new NotTaken('The channel has no address')
  return sendOut(env, { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) })
}

const context = (text: string): Block => ({ type: 'context', elements: [{ type: 'mrkdwn', text, verbatim: true }] })
const alertTitle = ({ name, headline }: AlertFacts) => `${name} ${headline}`

function alertBlock({ delivery_id, alert }: Telling): Block {
  const { vuln, link, links, headline, ours, changed, fixes, came } = alert
  const lines = [
    `*<${link}|${escapeText(nameWhole(alert))}>* ${headline}`,
    escapeText(factLine(alert)),
    `> ${escapeText(cutText(vuln.summary.replace(/\s+/g, ' '), maxSummary))}`,
    ...someLines(ours, 4).map(escapeText),
    ...(changed.length ? [`Changed: ${escapeText(joinSome(changed, 6, '; '))}`] : []),
    ...(fixes.length ? [`Fixed in: ${escapeText(joinSome(fixes, 4, '; '))}`] : []),
    ...came,
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
