import { cutText } from '../../domain/words/short-lists'
import { severityLabels } from '../../domain/scores/severity'
import type { Channel, Telling } from './channel'
import { postToChannel } from './outgoing'
import {
  chatLines,
  countTellings,
  escapeMarkdown,
  factLine,
  groupBySeverity,
  nameWhole,
  shortSummary,
  testText,
  testTitle,
} from './words'

const maxAlerts = 20
/** Teams takes 28 kB a message. */
const maxBytes = 28_000
const maxSummary = 250
const maxLine = 300

export const teams: Channel<object> = {
  limit: maxAlerts,
  maxBytes,
  render: (tellings, { env }) =>
    cardMessage(
      [
        block(`Earshot: ${countTellings(tellings)}`, { size: 'Large', weight: 'Bolder' }),
        ...groupBySeverity(tellings).flatMap((group) => [
          block(`${severityLabels[group.severity]} (${group.tellings.length})`, { weight: 'Bolder', separator: true }),
          ...group.tellings.map(alertElement),
        ]),
      ],
      [{ type: 'Action.OpenUrl', title: 'All alerts', url: `${env.APP_URL}/alerts` }],
    ),
  send: (message, line) => postToChannel(line, message),
  say: ({ title, lines, link }, line) =>
    postToChannel(
      line,
      cardMessage(
        [
          block(escapeMarkdown(title), { size: 'Large', weight: 'Bolder' }),
          ...lines.map((text) => block(escapeMarkdown(cutText(text, maxLine)), { spacing: 'Small' })),
        ],
        [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
      ),
    ),
  test: (_, line) => postToChannel(line, cardMessage([block(testTitle, { weight: 'Bolder' }), block(testText)], [])),
}

const cardMessage = (body: object[], actions: object[]) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body,
        ...(actions.length && { actions }),
        msteams: { width: 'Full' },
      },
    },
  ],
})

const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more })

function alertElement({ delivery_id, alert }: Telling) {
  const { headline, link, links } = alert
  return {
    type: 'Container',
    id: `delivery-${delivery_id}`,
    items: [
      block(`[${escapeMarkdown(nameWhole(alert))}](${link}) ${headline}`, { weight: 'Bolder' }),
      block(escapeMarkdown(factLine(alert))),
      block(escapeMarkdown(shortSummary(alert, maxSummary)), { isSubtle: true }),
      ...(links ? [block(`[Acknowledge](${links.acknowledge}) · [Snooze for a week](${links.snooze})`)] : []),
      ...chatLines(alert, 3).map((text) =>
        block(escapeMarkdown(cutText(text, maxLine)), { spacing: 'None', size: 'Small' }),
      ),
    ],
  }
}
