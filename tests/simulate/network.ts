import type { SimulatedWorld } from './world.ts'
import { fakeOrigins, originSettings } from '../worker/support/origins.ts'
import type { Origins } from '../worker/support/origins.ts'

export type SentMail = { to: string; subject: string; html: string; text: string; headers: Record<string, string> }
/** What a receiver took: the organization to which the address belongs, and the id of the message. */
export type ReceivedMessage = { org: string; id: string; body: string; at_ms: number; isTold: boolean }

/** Everything outside: publishers of feeds, receivers of alerts, and a mail server. */
export class Network {
  readonly origins: Origins = fakeOrigins()
  readonly settings = originSettings
  private readonly world: SimulatedWorld
  private readonly asOrigin = globalThis.fetch

  constructor(world: SimulatedWorld) {
    this.world = world
  }

  async fetch(request: Request): Promise<Response> {
    const { scheduler } = this.world
    const url = new URL(request.url)
    await scheduler.pause(scheduler.int(5, 300))
    const answer = url.host === 'receiver.test' ? this.receive(request, url) : this.publish(request, url)
    return Promise.race([answer, untilAborted(request.signal)])
  }

  private async publish(request: Request, url: URL) {
    const { world } = this
    if (world.happens('feed-down', url.host)) return new Response('down', { status: 503 })
    if (world.happens('feed-busy', url.host))
      return new Response('', { status: 429, headers: { 'retry-after': '120' } })
    const response = url.host === 'kev.test' ? await this.publishKev(request) : await this.asOrigin(request)
    if (!response.ok || !world.happens('feed-cut', url.host)) return response
    const bytes = await response.arrayBuffer()
    return new Response(bytes.slice(0, Math.floor(bytes.byteLength / 2)), { headers: response.headers })
  }

  /** With an ETag, by which the Worker asks whether the catalogue changed. */
  private async publishKev(request: Request) {
    const text = await (await this.asOrigin(request)).text()
    const headers = { etag: `"${text.length}"` }
    const isSame = request.headers.get('if-none-match') === headers.etag
    return isSame ? new Response(null, { status: 304, headers }) : new Response(text, { headers })
  }

  private async receive(request: Request, url: URL) {
    const { world } = this
    const org = url.pathname.split('/')[1] ?? ''
    if (world.happens('receiver-refuses', org))
      return new Response('no', { status: world.scheduler.pick([500, 502, 503, 429]) })
    if (world.happens('receiver-hangs', org)) await world.scheduler.pause(600_000)
    const body = await request.text()
    const isTold = !world.happens('receiver-forgets-answer', org)
    world.received.push({
      org,
      id: request.headers.get('webhook-id') ?? '',
      body,
      at_ms: world.scheduler.now_ms,
      isTold,
    })
    if (!isTold) throw new TypeError('Network connection lost.')
    return new Response('{}', { status: 200 })
  }

  async sendMail(mail: SentMail) {
    const { world } = this
    await world.scheduler.pause(world.scheduler.int(5, 300))
    if (world.happens('mail-refused', mail.to)) throw new Error('451 Try again later')
    world.mails.push(mail)
    if (world.happens('receiver-forgets-answer', mail.to)) throw new Error('Connection lost')
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
