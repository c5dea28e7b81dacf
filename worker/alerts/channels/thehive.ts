import { z } from 'zod'
import type { AlertFacts, AlertSeverity } from '../facts'
import type { Channel, Line, Telling } from './channel'
import { NotTaken, sendOut } from './outgoing'
import { cutText, factLine, testText, testTitle } from './words'

type TheHiveAlert = {
  type: 'vulnerability'
  source: 'Earshot'
  sourceRef: string
  title: string
  description: string
  severity: 1 | 2 | 3 | 4
  tlp: 2
  pap: 2
  tags: string[]
  externalLink: string
}
type TheHiveMessage = { alert: TheHiveAlert; comment: string }

const severityLevels: Record<AlertSeverity, TheHiveAlert['severity']> = {
  critical: 4,
  high: 3,
  medium: 2,
  low: 1,
  unscored: 2,
}
const maxDescription = 20_000
const Found = z.array(z.object({ _id: z.string() }).transform(({ _id: id }) => ({ id })))

export const thehive: Channel<TheHiveMessage> = {
  limit: 1,
  render: ([telling]) => {
    if (!telling) throw new Error('Nothing to tell')
    return { alert: alertInput(telling), comment: describe(telling.alert) }
  },
  send: async (message, line) => {
    try {
      return await call(line, '/api/v1/alert', message.alert)
    } catch (error) {
      // It answers 400 to a second alert of the same reference.
      if (!(error instanceof NotTaken) || error.answer?.status !== 400) throw error
      return edit(message, line, error)
    }
  },
  test: (_, line) =>
    call(line, '/api/v1/alert', {
      type: 'test',
      source: 'Earshot',
      sourceRef: `test-${line.now.getTime()}`,
      title: testTitle,
      description: testText,
      severity: 1,
      tlp: 2,
      pap: 2,
      tags: ['earshot', 'test'],
    }),
}

async function edit({ alert, comment }: TheHiveMessage, line: Line, refusal: NotTaken) {
  const { sourceRef, title, description, severity, tags } = alert
  const filter = { _name: 'filter', _and: [equals('source', alert.source), equals('sourceRef', sourceRef)] }
  const found = await call(line, '/api/v1/query', { query: [{ _name: 'listAlert' }, filter] })
  const [known] = readFound(found.text)
  // A 400 that is about something else is told as it is.
  if (!known) throw refusal
  const path = `/api/v1/alert/${encodeURIComponent(known.id)}`
  await call(line, `${path}/comment`, { message: comment })
  return call(line, path, { title, description, severity, tags }, 'PATCH')
}

const equals = (field: string, value: string) => ({ _eq: { _field: field, _value: value } })

function readFound(text: string) {
  try {
    return Found.parse(JSON.parse(text))
  } catch {
    throw new NotTaken('TheHive did not answer as expected')
  }
}

function call({ env, secrets: { url, apikey } }: Line, path: string, body: object, method: 'POST' | 'PATCH' = 'POST') {
  if (!url || !apikey) throw new NotTaken('The channel has no address or key')
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${apikey}` }
  return sendOut(env, { url: `${url.replace(/\/+$/, '')}${path}`, method, headers, body: JSON.stringify(body) })
}

const alertInput = ({ alert }: Telling): TheHiveAlert => ({
  type: 'vulnerability',
  source: 'Earshot',
  sourceRef: `org${alert.org_id}-PH-${alert.vuln.id}`,
  title: cutText(`PH-${alert.vuln.id} / ${alert.name} ${alert.headline}`, 500),
  description: cutText(`${alert.vuln.summary}\n\n${describe(alert)}`, maxDescription),
  severity: severityLevels[alert.severity],
  tlp: 2,
  pap: 2,
  tags: ['earshot', alert.name, ...(alert.kev ? ['kev'] : []), ...(alert.exploits ? ['exploit'] : [])],
  externalLink: alert.link,
})

const describe = (alert: AlertFacts) =>
  [
    `**${alert.name}** ${alert.headline}`,
    factLine(alert),
    list('Why it concerns us', alert.ours),
    list('What changed', alert.changed),
    list('Fixed in', alert.fixes),
    alert.link,
  ]
    .filter(Boolean)
    .join('\n\n')

const list = (title: string, lines: string[]) =>
  lines.length ? `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}` : ''
