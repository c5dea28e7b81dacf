import { fakeOrigins, originSettings } from '../worker/support/origins.ts'
import { versioned } from '../worker/support/versioned.ts'
import type { Invocation } from '../support/scheduler.ts'
import type { SimulatedWorld } from './world.ts'

export type SentMail = { to: string; subject: string; html: string; text: string; headers: Record<string, string> }
/** A message that a receiver took: the organization to which the address belongs, and the id of the message. */
export type ReceivedMessage = {
  org: string
  id: string
  body: string
  /** Whether the sender heard that it was taken, and who that was. */
  isTold: boolean
  sender: Invocation | undefined
}

export const networkSettings = { ...originSettings, OSV_URL: 'https://osv.test', OSV_ECOSYSTEMS: 'npm' }
const lost = () => new TypeError('Network connection lost.')

/** Everything outside: publishers of feeds, receivers of alerts, and a mail server. */
export function openNetwork(world: SimulatedWorld) {
  const origins = fakeOrigins()
  const askOrigin = globalThis.fetch
  const reach = <Found>(work: () => Promise<Found>) => world.travel(world.int(5, 300), 'killed-calling', work)
  return {
    origins,
    /** Receivers that take nothing until some time. */
    outages: new Map<string, number>(),

    fetch: (request: Request): Promise<Response> =>
      reach(() => {
        const url = new URL(request.url)
        const answer = url.host === 'receiver.test' ? receive(world, request, url) : publish(world, request, askOrigin)
        return Promise.race([answer, untilAborted(request.signal)])
      }),

    sendMail: (mail: SentMail) =>
      reach(async () => {
        if (world.happens('mail-refused', mail.to)) throw new Error('451 Try again later')
        world.mails.push(mail)
        if (world.happens('receiver-forgets-answer', mail.to)) throw lost()
      }),
  }
}

async function publish(world: SimulatedWorld, request: Request, ask: typeof fetch) {
  const { host, pathname } = new URL(request.url)
  if (world.happens('feed-down', host))
    return new Response('', { status: world.pick([429, 503]), headers: { 'retry-after': '120' } })
  const published = await ask(request)
  const response = host === 'kev.test' ? await tag(world, request, published) : published
  if (!response.ok || !world.happens('feed-cut', host)) return response
  const bytes = await response.arrayBuffer()
  const half = new Uint8Array(bytes.slice(0, Math.floor(bytes.byteLength / 2)))
  // A list may be read as if it ended here: it breaks off as connections do, and says so.
  return new Response(pathname.endsWith('.csv') ? breakingOff(half) : half, { headers: response.headers })
}

/** By an ETag the Worker asks whether the catalogue changed. An older copy knows of no change, or calls what it has by another name. */
async function tag(world: SimulatedWorld, request: Request, response: Response) {
  const etag = request.headers.get('if-none-match')
  if (etag && world.happens('feed-etag', 'kev.test')) return new Response(null, { status: 304, headers: { etag } })
  if (world.happens('feed-etag', 'kev.test')) response.headers.set('etag', '"another"')
  return (await versioned(request, response)) ?? response
}

function breakingOff(part: Uint8Array) {
  const start = (controller: ReadableStreamDefaultController) => controller.enqueue(part)
  const pull = (controller: ReadableStreamDefaultController) => controller.error(lost())
  return new ReadableStream({ start, pull }, { highWaterMark: 0 })
}

async function receive(world: SimulatedWorld, request: Request, { pathname }: URL) {
  const [, org = ''] = pathname.split('/')
  if ((world.network.outages.get(org) ?? 0) > world.now_ms) return new Response('down', { status: 503 })
  if (world.happens('receiver-refuses', org))
    return new Response('no', { status: world.pick([500, 502, 503, 429, 302, 400, 404, 410, 413]) })
  if (world.happens('receiver-hangs', org)) await world.pause(600_000)
  const [body, id] = [await request.text(), request.headers.get('webhook-id') ?? '']
  const isTold = !request.signal.aborted && !world.happens('receiver-forgets-answer', org)
  world.received.push({ org, id, body, isTold, sender: world.running.getStore() })
  if (!isTold) throw lost()
  return new Response('{}')
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
