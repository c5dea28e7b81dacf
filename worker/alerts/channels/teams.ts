import { cutText, joinSome, someLines } from '../../domain/words/short-lists'
import { severityLabels } from '../../domain/scores/severity'
import type { Channel, Line, Telling } from './channel'
import { NotTaken, sendOut } from './outgoing'
import { countTellings, escapeMarkdown, factLine, groupBySeverity, nameWhole, testText, testTitle } from './words'

type Element = Record<string, unknown>
export type TeamsMessage = {
  type: 'message'
  attachments: { contentType: 'application/vnd.microsoft.card.adaptive'; contentUrl: null; content: Element }[]
}

const maxAlerts = 20
/** Teams takes 28 kB a message. */
const maxBytes = 28_000
const maxSummary = 250
const maxLine = 300

export const teams: Channel<TeamsMessage> = {
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
  send: post,
  say: ({ title, lines, link }, line) =>
    post(
      cardMessage(
        [
          block(escapeMarkdown(title), { size: 'Large', weight: 'Bolder' }),
          ...lines.map((text) => block(escapeMarkdown(cutText(text, maxLine)), { spacing: 'Small' })),
        ],
        [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
      ),
      line,
    ),
  test: (_, line) => post(cardMessage([block(testTitle, { weight: 'Bolder' }), block(testText)], []), line),
}

function post(message: TeamsMessage, { env, secrets: { url } }: Line) {
  if (!url) throw new NotTaken('The channel has no address')
  return sendOut(env, { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(message) })
}

const cardMessage = (body: Element[], actions: Element[]): TeamsMessage => ({
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

const block = (text: string, more: Element = {}): Element => ({ type: 'TextBlock', text, wrap: true, ...more })

function alertElement({ delivery_id, alert }: Telling): Element {
  const { vuln, headline, link, links, ours, changed, fixes, came } = alert
  const lines = [
    ...someLines(ours, 3),
    ...(changed.length ? [`Changed: ${joinSome(changed, 6, '; ')}`] : []),
    ...(fixes.length ? [`Fixed in: ${joinSome(fixes, 4, '; ')}`] : []),
    ...came,
  ]
  return {
    type: 'Container',
    id: `delivery-${delivery_id}`,
    items: [
      block(`[${escapeMarkdown(nameWhole(alert))}](${link}) ${headline}`, {
        weight: 'Bolder',
      }),
      block(escapeMarkdown(factLine(alert))),
      block(escapeMarkdown(cutText(vuln.summary.replace(/\s+/g, ' '), maxSummary)), { isSubtle: true }),
      ...(links ? [block(`[Acknowledge](${links.acknowledge}) · [Snooze for a week](${links.snooze})`)] : []),
      ...lines.map((text) => block(escapeMarkdown(cutText(text, maxLine)), { spacing: 'None', size: 'Small' })),
    ],
  }
}
