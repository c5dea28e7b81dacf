import { answerBucket } from '../worker/support/osv-bucket.ts'
import type { Advisory } from '../worker/support/osv-bucket.ts'
import { fakeOrigins, originSettings } from '../worker/support/origins.ts'
import type { Invocation } from './scheduler.ts'
import type { SimulatedWorld } from './world.ts'

export type SentMail = { to: string; subject: string; html: string; text: string; headers: Record<string, string> }
/** What a receiver took: the organization to which the address belongs, and the id of the message. */
export type ReceivedMessage = {
  org: string
  id: string
  body: string
  /** Whether the sender heard that it was taken, and who that was. */
  isTold: boolean
  sender: Invocation | undefined
}

export const networkSettings = { ...originSettings, OSV_URL: 'https://osv.test', OSV_ECOSYSTEMS: 'npm' }

/** Everything outside: publishers of feeds, receivers of alerts, and a mail server. */
export class Network {
  readonly origins = fakeOrigins()
  /** What OSV says of packages, by id. */
  readonly advisories = new Map<string, Advisory>()
  /** Receivers that take nothing until some time. */
  readonly outages = new Map<string, number>()
  private readonly world: SimulatedWorld
  private readonly asOrigin = globalThis.fetch

  constructor(world: SimulatedWorld) {
    this.world = world
    this.origins.instead = (url) =>
      url.host === 'osv.test' ? answerBucket(new Map([['npm', [...this.advisories.values()]]]), url) : null
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    await this.reach(url.host)
    const answer = url.host === 'receiver.test' ? this.receive(request, url) : this.publish(request, url)
    return Promise.race([answer, untilAborted(request.signal)])
  }

  /** The caller may die on the way, or before it has done what follows. */
  private async reach(whom: string) {
    const { world } = this
    const who = world.running.getStore()
    if (who && world.happens('killed-calling', whom)) who.waits_left = world.int(0, 1)
    await world.pause(world.int(5, 300))
  }

  private async publish(request: Request, { host, pathname }: URL) {
    const { world } = this
    if (world.happens('feed-down', host)) return new Response('down', { status: 503 })
    if (world.happens('feed-busy', host)) return new Response('', { status: 429, headers: { 'retry-after': '120' } })
    const published = await this.asOrigin(request)
    const known = request.headers.get('if-none-match')
    const response = host === 'kev.test' ? await this.tag(published, known) : published
    if (!response.ok || !world.happens('feed-cut', host)) return response
    const bytes = await response.arrayBuffer()
    const half = new Uint8Array(bytes.slice(0, Math.floor(bytes.byteLength / 2)))
    // A list may be read as if it ended here: it breaks off as connections do, and says so.
    if (pathname.endsWith('.csv')) return new Response(breakingOff(half))
    return new Response(half, { headers: response.headers })
  }

  /** By an ETag the Worker asks whether the catalogue changed. An older copy knows of no change, or calls what it has by another name. */
  private async tag(response: Response, known: string | null) {
    const text = await response.text()
    const etag = `"${text.length}"`
    if (known && this.world.happens('feed-etag', 'kev.test'))
      return new Response(null, { status: 304, headers: { etag: known } })
    if (this.world.happens('feed-etag', 'kev.test')) return new Response(text, { headers: { etag: '"another"' } })
    const isSame = known === etag
    return new Response(isSame ? null : text, { status: isSame ? 304 : 200, headers: { etag } })
  }

  private async receive(request: Request, url: URL) {
    const { world } = this
    const org = url.pathname.split('/')[1] ?? ''
    if ((this.outages.get(org) ?? 0) > world.now_ms) return new Response('down', { status: 503 })
    if (world.happens('receiver-refuses', org))
      return new Response('no', { status: world.pick([500, 502, 503, 429, 302, 400, 404, 410, 413]) })
    if (world.happens('receiver-hangs', org)) await world.pause(600_000)
    const [body, id] = [await request.text(), request.headers.get('webhook-id') ?? '']
    const isTold = !request.signal.aborted && !world.happens('receiver-forgets-answer', org)
    world.received.push({ org, id, body, isTold, sender: world.running.getStore() })
    if (!isTold) throw new TypeError('Network connection lost.')
    return new Response('{}')
  }

  async sendMail(mail: SentMail) {
    const { world } = this
    await this.reach(mail.to)
    if (world.happens('mail-refused', mail.to)) throw new Error('451 Try again later')
    world.mails.push(mail)
    if (world.happens('receiver-forgets-answer', mail.to)) throw new Error('Connection lost')
  }
}

function breakingOff(part: Uint8Array) {
  const start = (controller: ReadableStreamDefaultController) => controller.enqueue(part)
  const pull = (controller: ReadableStreamDefaultController) =>
    controller.error(new TypeError('Network connection lost.'))
  return new ReadableStream({ start, pull }, { highWaterMark: 0 })
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
