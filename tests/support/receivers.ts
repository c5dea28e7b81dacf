import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  adaptiveCardProblem,
  attachedProblem,
  hiveProblem,
  mispProblem,
  pagerDutyProblem,
  slackProblem,
} from './message-shapes.ts'
import { answerJira, type JiraIssue } from './jira-server.ts'

/** How a box treats the next requests; chances are shares of them, 0 to 1. */
export type Behaviour = {
  status?: number
  headers?: Record<string, string>
  body?: string
  delay_ms?: number
  /** Answers when it is told to behave anew. */
  hangs?: boolean
  /** Answers endlessly, one letter per `drip_ms`. */
  drip_ms?: number
  /** Drops the connection instead of answering, before or after it took the message. */
  lose_before?: number
  lose_after?: number
  refuse?: number
  /** Answers 413 to what is longer. */
  max_length?: number
  /** Concerns only requests to paths with these endings. */
  only?: string[]
}
export type Received = {
  method: string
  path: string
  headers: Record<string, string>
  body: string
  /** When it came, in milliseconds. */
  at: number
  taken: boolean
  /** Fault in the shape of the message. */
  problem: string | null
}
type Box = {
  behaviour: Behaviour
  /** Of those that wait while it hangs. */
  released: PromiseWithResolvers<void>
  requests: Received[]
  alerts: Map<string, Record<string, unknown>>
  comments: { id: string; message: string }[]
  events: Map<string, Event>
  issues: Map<string, JiraIssue>
}

/**
 * Servers in the shape of Slack, Teams, TheHive, MISP and a webhook receiver: `/{box}/slack`, `/teams`, `/hive`, `/misp`, `/hook`,
 * `/mattermost`, `/pagerduty`, `/jira`, `/jira-center`.
 * Each test has its own box, sets its behaviour (PUT `/{box}/behave`), changes what it holds as an analyst does (PUT
 * `/{box}/analyse`) and reads what arrived (GET `/{box}/state`).
 */
export async function startReceivers() {
  const boxes = new Map<string, Box>()
  const server = createServer((request, response) => {
    void serve(boxes, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  // Otherwise the server might close an idle connection just when a client uses it again.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function serve(boxes: Map<string, Box>, request: IncomingMessage, response: ServerResponse) {
  const [, name = '', kind = '', ...rest] = (request.url ?? '').split('/')
  const box = boxes.get(name) ?? emptyBox()
  boxes.set(name, box)
  const body = await readBody(request)
  if (kind === 'behave') {
    box.behaviour = JSON.parse(body) as Behaviour
    box.released.resolve()
    box.released = Promise.withResolvers()
    return void response.end()
  }
  if (kind === 'analyse') {
    const { alert = {}, event = {} } = JSON.parse(body) as { alert?: object; event?: object }
    for (const known of box.alerts.values()) Object.assign(known, alert)
    for (const known of box.events.values()) Object.assign(known, event)
    return void response.end()
  }
  if (kind === 'state') return void response.end(JSON.stringify(describeBox(box)))

  const { only } = box.behaviour
  const behaviour = !only || only.some((end) => request.url?.endsWith(end)) ? box.behaviour : emptyBox().behaviour
  const received: Received = {
    method: request.method ?? '',
    path: `/${[kind, ...rest].join('/')}`,
    headers: Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)])),
    body,
    at: Date.now(),
    taken: false,
    problem: null,
  }
  box.requests.push(received)
  if (behaviour.hangs) await box.released.promise
  if (behaviour.delay_ms) await sleep(behaviour.delay_ms)
  if (behaviour.drip_ms) return drip(response, behaviour.drip_ms)
  if (Math.random() < (behaviour.lose_before ?? 0)) return void request.socket.destroy()
  if (body.length > (behaviour.max_length ?? Infinity)) return void response.writeHead(413).end('Too large')
  const isRefused = Math.random() < (behaviour.refuse ?? 0)
  if (behaviour.status || isRefused)
    return void response.writeHead(behaviour.status ?? 503, behaviour.headers).end(behaviour.body ?? 'Not now')
  const answer = handle(box, received)
  received.taken = answer.status < 400
  if (received.taken && Math.random() < (behaviour.lose_after ?? 0)) return void request.socket.destroy()
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
}

function drip(response: ServerResponse, drip_ms: number) {
  response.writeHead(200)
  const timer = setInterval(() => response.write('x'), drip_ms)
  response.on('close', () => clearInterval(timer))
}

const emptyBox = (): Box => ({
  behaviour: {},
  released: Promise.withResolvers(),
  requests: [],
  alerts: new Map(),
  comments: [],
  events: new Map(),
  issues: new Map(),
})

const describeBox = ({ requests, alerts, comments, events, issues }: Box) => ({
  requests,
  alerts: [...alerts.values()],
  comments,
  events: [...events.values()],
  issues: [...issues.values()],
})
export type BoxState = ReturnType<typeof describeBox>

type Reply = { status: number; body: string }
const json = (status: number, value: unknown): Reply => ({ status, body: JSON.stringify(value) })

function handle(box: Box, received: Received): Reply {
  const [, kind, ...rest] = received.path.split('/')
  if (kind === 'hive') return answerHive(box, received, `/${rest.join('/')}`)
  if (kind === 'jira' || kind === 'jira-center') return answerJira(box.issues, received, [kind, ...rest])
  if (kind === 'misp') return answerMisp(box, received, `/${rest.join('/')}`)
  const message: unknown = JSON.parse(received.body)
  if (kind === 'slack') received.problem = slackProblem(message)
  if (kind === 'teams') received.problem = adaptiveCardProblem(message)
  if (kind === 'mattermost') received.problem = attachedProblem(message)
  if (kind === 'pagerduty')
    received.problem = rest.join('/') === 'v2/enqueue' ? pagerDutyProblem(message) : `no such path: ${rest.join('/')}`
  if (received.problem) return { status: 400, body: received.problem }
  if (kind === 'pagerduty') return json(202, { status: 'success', message: 'Event processed' })
  return kind === 'teams' ? { status: 202, body: '' } : { status: 200, body: 'ok' }
}

/** The parts of TheHive 5's API that we use; requests must have the shape of its OpenAPI document. */
function answerHive({ alerts, comments }: Box, received: Received, path: string): Reply {
  if (!received.headers['authorization']?.startsWith('Bearer ')) return json(401, { type: 'AuthenticationError' })
  const body = JSON.parse(received.body) as Record<string, unknown>
  const [, , , , id = '', part] = path.split('/')
  if (received.method === 'PATCH' ? !id || part : received.method !== 'POST')
    return json(404, { type: 'NotFoundError', message: `${received.method} ${path}` })
  const kept = part === 'comment' || part === 'observable' ? part : undefined
  const shape = path.endsWith('/query') ? 'query' : (kept ?? (id ? 'update' : 'alert'))
  received.problem = hiveProblem(shape, body)
  if (received.problem) return json(400, { type: 'BadRequest', message: received.problem })
  if (path === '/api/v1/query') {
    const [{ _name: name, idOrName }, { _name: listed }] = body['query'] as [
      { _name: string; idOrName?: string },
      { _name: string },
    ]
    if (listed === 'observables')
      return json(200, [...alerts.values()].find(({ _id }) => _id === idOrName)?.['observables'] ?? [])
    if (name === 'getAlert')
      return json(
        200,
        comments
          .filter((one) => one.id === idOrName)
          .toReversed()
          .slice(0, 5),
      )
    const filter = JSON.stringify(body)
    const found = [...alerts.values()].filter(({ sourceRef }) => filter.includes(`"_value":"${String(sourceRef)}"`))
    return json(200, found)
  }
  if (path === '/api/v1/alert' && received.method === 'POST') {
    const key = [body['type'], body['source'], body['sourceRef']].join(';')
    if (alerts.has(key)) return json(400, { type: 'CreateError', message: `Alert ${key} already exists` })
    const made = { _id: `~${alerts.size + 1}`, ...body }
    alerts.set(key, made)
    return json(201, made)
  }
  const known = [...alerts.values()].find(({ _id }) => _id === decodeURIComponent(id))
  if (!known) return json(404, { type: 'NotFoundError' })
  if (part === 'comment' && received.method === 'POST') {
    comments.push({ id: String(known['_id']), message: String(body['message']) })
    return json(201, { _id: '~c' })
  }
  if (part === 'observable') {
    const { data } = body as { data: string[] }
    known['observables'] = [...(known['observables'] as object[]), ...data.map((one) => ({ data: one }))]
    return json(201, [])
  }
  if (part === undefined && received.method === 'PATCH') {
    const { addTags = [], removeTags = [], ...rest } = body as { addTags?: string[]; removeTags?: string[] }
    const tags = new Set([...(known['tags'] as string[]), ...addTags])
    for (const tag of removeTags) tags.delete(tag)
    Object.assign(known, rest, { tags: [...tags] })
    return json(204, {})
  }
  return json(404, { type: 'NotFoundError', message: path })
}

type Attribute = { uuid: string; type: string; value: string; comment?: string; deleted?: boolean }
type Event = { uuid: string; info?: string; Tag?: { name: string }[]; published?: boolean; Attribute?: Attribute[] }

const mispMethods: Record<string, string> = { view: 'GET', add: 'POST', edit: 'PUT' }

/** The parts of MISP's API that we use, in the shape of its OpenAPI document: view, add and edit an event. */
function answerMisp({ events }: Box, received: Received, path: string): Reply {
  if (!received.headers['authorization']) return json(403, { message: 'Authentication failed' })
  const [, , action = '', id = ''] = path.split('/')
  if (mispMethods[action] !== received.method) return json(405, { message: 'Method Not Allowed' })
  if (action === 'view')
    return events.has(id) ? json(200, { Event: events.get(id) }) : json(404, { message: 'Invalid event' })
  const message = JSON.parse(received.body) as { Event: Event }
  received.problem = mispProblem(message, action)
  if (received.problem) return json(400, { message: 'Could not add Event', errors: received.problem })
  const { Event: event } = message
  const isKnown = events.has(event.uuid)
  if (action === 'add' && isKnown) return json(403, { message: 'Could not add Event', errors: 'Event already exists' })
  if (action === 'edit' && !isKnown) return json(404, { message: 'Invalid event' })
  // An edit that does not say otherwise unpublishes; attributes are joined by their ids, of which none goes unless it is said.
  const before = events.get(event.uuid)
  const attributes = [...(before?.Attribute ?? []), ...(event.Attribute ?? [])]
  // As MISP does, it takes the event without an attribute that is none.
  const isOne = ({ type, value, deleted }: Attribute) =>
    !deleted && (type !== 'vulnerability' || /^CVE-\d{4}-\d{4,}$/.test(value))
  const joined = [...new Map(attributes.map((one) => [one.uuid, one])).values()].filter(isOne)
  events.set(event.uuid, { ...before, published: false, ...event, Attribute: joined })
  return json(200, { Event: events.get(event.uuid) })
}

async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
