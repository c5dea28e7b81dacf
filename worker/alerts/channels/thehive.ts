import * as z from 'zod'
import type { VulnSeverity } from '../../domain/scores/severity'
import type { AlertFacts } from './facts'
import type { Channel, Line } from './channel'
import { NotTaken, parseAnswer, sendOut, sendStep, toRequest, type ReceiverAnswer } from './outgoing'
import { cutText } from '../../domain/words/short-lists'
import { escapeMarkdown, nameWhole, signText, testText, testTitle, writeMarkup } from './words'

type TheHiveAlert = Awaited<ReturnType<typeof alertInput>>
type TheHiveMessage = {
  alert: TheHiveAlert
  comment: string
  /** Stands in whatever it wrote, so that a repetition is known. */
  mark: string
  /** Tags that it gave earlier, and that are not true any more. */
  outdated: string[]
}

const severityLevels: Record<VulnSeverity, number> = {
  critical: 4,
  high: 3,
  medium: 2,
  low: 1,
  unscored: 2,
}
const maxDescription = 20_000
const maxComments = 5
const maxProducts = 20
const maxLinks = 20
const maxKnown = 200
const FoundAlerts = z.array(
  z
    .object({ _id: z.string(), title: z.string(), description: z.string(), severity: z.number() })
    .transform(({ _id: id, ...alert }) => ({ id, ...alert })),
)
type FoundAlert = z.output<typeof FoundAlerts>[number]
const FoundObservables = z.array(z.object({ data: z.string().nullish() }))
const FoundComments = z.array(z.object({ message: z.string() }))

export const thehive: Channel<TheHiveMessage> = {
  limit: 1,
  render: async ([{ alert, delivery_id }]) => {
    const mark = `[Earshot message ${delivery_id}]`
    const tags = listTags(alert)
    return {
      alert: await alertInput(alert, mark, tags),
      comment: `${describe(alert)}\n\n${mark}`,
      mark,
      outdated: ownTags.filter((tag) => !tags.includes(tag)),
    }
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
async function edit({ alert, comment, mark, outdated }: TheHiveMessage, line: Line, refusal: NotTaken) {
  const { source, sourceRef } = alert
  const filter = { _name: 'filter', _and: [equals('source', source), equals('sourceRef', sourceRef)] }
  const found = await query(line, [{ _name: 'listAlert' }, filter, page(1)])
  const [known] = parse(FoundAlerts, found)
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
  const comments = parse(FoundComments, answer)
  // Asked once only: a lost request may have been taken.
  if (!comments.some(({ message }) => message.includes(mark)))
    await sendOut(line.env, request(line, `${path}/comment`, { message: comment }))
  await addObservables(alert, known, line)
  const change = { ...(await listOwn(alert, known)), addTags: alert.tags, removeTags: outdated }
  return call(line, path, change, 'PATCH')
}

/** By the signs of what it wrote last, which stand at the end: a text changed by people stays. */
async function listOwn({ title, description, severity }: TheHiveAlert, known: FoundAlert) {
  const [, text = '', signs] = /^(.*?)\n\n\[Earshot message \d+\](?: (\S+))?$/s.exec(known.description.trim()) ?? []
  // Before it signed what it wrote.
  const [titleSign, textSign, level] = signs?.split('-') ?? []
  return {
    ...((signs === undefined ? text !== '' : titleSign === (await signText(known.title))) && { title }),
    ...((signs === undefined ? text !== '' : textSign === (await signText(text))) && { description }),
    ...((signs === undefined ? text !== '' : level === String(known.severity)) && { severity }),
  }
}

async function addObservables({ observables }: TheHiveAlert, { id }: FoundAlert, line: Line) {
  const answer = await query(line, [{ _name: 'getAlert', idOrName: id }, { _name: 'observables' }, page(maxKnown)])
  const known = new Set(parse(FoundObservables, answer).map(({ data }) => data))
  const missing = observables.filter(({ data }) => !known.has(data))
  for (const [dataType, ofType] of Map.groupBy(missing, (observable) => observable.dataType)) {
    const data = ofType.map((observable) => observable.data)
    await call(line, `/api/v1/alert/${encodeURIComponent(id)}/observable`, { dataType, data, tags: ['earshot'] })
  }
}

const query = (line: Line, operations: object[]) => call(line, '/api/v1/query', { query: operations })
const equals = (field: string, value: string) => ({ _eq: { _field: field, _value: value } })
const page = (to: number) => ({ _name: 'page', from: 0, to })

const parse = <Row>(schema: z.ZodType<Row[]>, answer: ReceiverAnswer) => parseAnswer('TheHive', schema, answer)

const call = (line: Line, path: string, body: object, method?: 'PATCH') =>
  sendStep(line.env, request(line, path, body, method))

function request({ secrets: { url, apikey } }: Line, path: string, body: object, method: 'POST' | 'PATCH' = 'POST') {
  if (!url || !apikey) throw new NotTaken('The channel has no address or key')
  return toRequest({ base: url, path, key: `Bearer ${apikey}`, body, method })
}

const ownTags = ['kev', 'exploit']
const listTags = ({ name, kev, exploits }: AlertFacts) => [
  'earshot',
  name,
  ...(kev ? ['kev'] : []),
  ...(exploits ? ['exploit'] : []),
]

async function alertInput(alert: AlertFacts, mark: string, tags: string[]) {
  const severity = severityLevels[alert.severity]
  const title = cutText(`${nameWhole(alert, ' / ')} ${alert.headline}`, 500)
  const text = cutText(`${escapeMarkdown(alert.vuln.summary)}\n\n${describe(alert)}`, maxDescription).trim()
  return {
    type: 'vulnerability',
    source: 'Earshot',
    sourceRef: `org${alert.org_id}-PH-${alert.vuln.id}`,
    title,
    description: `${text}\n\n${mark} ${await signText(title)}-${await signText(text)}-${severity}`,
    severity,
    tlp: 2,
    pap: 2,
    tags,
    externalLink: alert.link,
    observables: listObservables(alert),
  }
}

function listObservables({ vuln, name, link }: AlertFacts) {
  const observable = (dataType: 'other' | 'url', values: string[]) =>
    [...new Set(values)].map((data) => ({ dataType, data, tags: ['earshot'] }))
  const products = [...vuln.vulnerable_products, ...vuln.affected_packages.map(({ purl }) => purl)]
  return [
    ...observable('other', [name, ...products.slice(0, maxProducts)]),
    ...observable('url', [link, ...vuln.reflinks.slice(0, maxLinks)]),
  ]
}

const describe = (alert: AlertFacts) => writeMarkup(alert, { bold: '**', bullet: '-', escape: escapeMarkdown })
