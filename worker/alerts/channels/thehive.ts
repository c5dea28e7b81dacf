import * as z from 'zod'
import { someLines } from '../../domain/short-lists'
import type { VulnSeverity } from '../../domain/severity'
import type { AlertFacts } from './facts'
import type { Channel, Line } from './channel'
import { NotTaken, sendOut, sendStep } from './outgoing'
import { cutText, escapeMarkdown, factLine, testText, testTitle } from './words'

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
type TheHiveMessage = {
  alert: TheHiveAlert
  comment: string
  /** Stands in whatever it wrote, so that what comes again is known. */
  mark: string
}

const severityLevels: Record<VulnSeverity, TheHiveAlert['severity']> = {
  critical: 4,
  high: 3,
  medium: 2,
  low: 1,
  unscored: 2,
}
const maxDescription = 20_000
const maxComments = 5
const maxLines = 12
const FoundAlerts = z.array(
  z.object({ _id: z.string(), description: z.string() }).transform(({ _id: id, description }) => ({ id, description })),
)
const FoundComments = z.array(z.object({ message: z.string() }))

export const thehive: Channel<TheHiveMessage> = {
  limit: 1,
  render: ([telling]) => {
    if (!telling) throw new Error('Nothing to tell')
    const mark = `[Earshot message ${telling.delivery_id}]`
    return { alert: alertInput(telling.alert, mark), comment: `${describe(telling.alert)}\n\n${mark}`, mark }
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

/** A later change, or the same message once more: a comment has no id of its own, so that it is looked for first. */
async function edit({ alert, comment, mark }: TheHiveMessage, line: Line, refusal: NotTaken) {
  const { source, sourceRef, title, description, severity, tags } = alert
  const filter = { _name: 'filter', _and: [equals('source', source), equals('sourceRef', sourceRef)] }
  const found = await query(line, [{ _name: 'listAlert' }, filter, page(1)])
  const [known] = readFound(FoundAlerts, found.text)
  // A 400 that is about something else is told as it is.
  if (!known) throw refusal
  if (known.description.includes(mark)) return found

  const path = `/api/v1/alert/${encodeURIComponent(known.id)}`
  const newest = { _name: 'sort', _fields: [{ _createdAt: 'desc' }] }
  const answer = await query(line, [
    { _name: 'getAlert', idOrName: known.id },
    { _name: 'comments' },
    newest,
    page(maxComments),
  ])
  const comments = readFound(FoundComments, answer.text)
  // Asked once only: what was lost may have been taken.
  if (!comments.some(({ message }) => message.includes(mark)))
    await sendOut(line.env, request(line, `${path}/comment`, { message: comment }))
  return call(line, path, { title, description, severity, tags }, 'PATCH')
}

const query = (line: Line, operations: object[]) => call(line, '/api/v1/query', { query: operations })
const equals = (field: string, value: string) => ({ _eq: { _field: field, _value: value } })
const page = (to: number) => ({ _name: 'page', from: 0, to })

function readFound<Row>(schema: z.ZodType<Row[]>, text: string) {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw new NotTaken('TheHive did not answer as expected')
  }
}

const call = (line: Line, path: string, body: object, method?: 'PATCH') =>
  sendStep(line.env, request(line, path, body, method))

function request({ secrets: { url, apikey } }: Line, path: string, body: object, method: 'POST' | 'PATCH' = 'POST') {
  if (!url || !apikey) throw new NotTaken('The channel has no address or key')
  const headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${apikey}` }
  return { url: `${url.replace(/\/+$/, '')}${path}`, method, headers, body: JSON.stringify(body) }
}

const alertInput = (alert: AlertFacts, mark: string): TheHiveAlert => ({
  type: 'vulnerability',
  source: 'Earshot',
  sourceRef: `org${alert.org_id}-PH-${alert.vuln.id}`,
  title: cutText(`PH-${alert.vuln.id} / ${alert.name} ${alert.headline}`, 500),
  description: `${cutText(`${escapeMarkdown(alert.vuln.summary)}\n\n${describe(alert)}`, maxDescription)}\n\n${mark}`,
  severity: severityLevels[alert.severity],
  tlp: 2,
  pap: 2,
  tags: ['earshot', alert.name, ...(alert.kev ? ['kev'] : []), ...(alert.exploits ? ['exploit'] : [])],
  externalLink: alert.link,
})

const describe = (alert: AlertFacts) =>
  [
    `**${escapeMarkdown(alert.name)}** ${alert.headline}`,
    factLine(alert),
    list('Why it concerns us', alert.ours),
    list('What changed', alert.changed),
    list('Fixed in', alert.fixes),
    alert.link,
  ]
    .filter(Boolean)
    .join('\n\n')

const list = (title: string, lines: string[]) =>
  lines.length
    ? `${title}:\n${someLines(lines, maxLines)
        .map((line) => `- ${escapeMarkdown(line)}`)
        .join('\n')}`
    : ''
