import type { Advisory } from './knowledge.ts'
import type { Invocation } from './scheduler.ts'
import type { SimulatedWorld } from './world.ts'
import { toZip } from '../../scripts/mirror/zip-writer.ts'
import { serveFile } from '../worker/support/zip-server.ts'
import { fakeOrigins, originSettings } from '../worker/support/origins.ts'
import type { Origins } from '../worker/support/origins.ts'

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

/** Everything outside: publishers of feeds, receivers of alerts, and a mail server. */
export class Network {
  readonly origins: Origins = fakeOrigins()
  readonly settings = { ...originSettings, OSV_URL: 'https://osv.test', OSV_ECOSYSTEMS: 'npm' }
  /** What OSV says of packages, by id. */
  readonly advisories = new Map<string, Advisory>()
  /** Receivers that take nothing until some time. */
  readonly outages = new Map<string, number>()
  private readonly world: SimulatedWorld
  private readonly asOrigin = globalThis.fetch

  constructor(world: SimulatedWorld) {
    this.world = world
  }

  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    await this.reach(url.host)
    const answer = url.host === 'receiver.test' ? this.receive(request, url) : this.publish(request, url)
    return Promise.race([answer, untilAborted(request.signal)])
  }

  /** The caller may die on the way, or before it has done what follows. */
  private async reach(whom: string) {
    const { scheduler } = this.world
    const who = scheduler.running.getStore()
    if (who && this.world.happens('killed-calling', whom)) who.waits_left = scheduler.int(0, 1)
    await scheduler.pause(scheduler.int(5, 300))
  }

  private async publish(request: Request, url: URL) {
    const { world } = this
    if (world.happens('feed-down', url.host)) return new Response('down', { status: 503 })
    if (world.happens('feed-busy', url.host))
      return new Response('', { status: 429, headers: { 'retry-after': '120' } })
    const response =
      url.host === 'kev.test'
        ? await this.publishKev(request)
        : url.host === 'osv.test'
          ? answerBucket(this.advisories, url)
          : await this.asOrigin(request)
    if (!response.ok || !world.happens('feed-cut', url.host)) return response
    const bytes = await response.arrayBuffer()
    const half = new Uint8Array(bytes.slice(0, Math.floor(bytes.byteLength / 2)))
    // A list may be read as if it ended here: it breaks off as connections do, and says so.
    if (url.pathname.endsWith('.csv')) return new Response(breakingOff(half))
    return new Response(half, { headers: response.headers })
  }

  /** With an ETag, by which the Worker asks whether the catalogue changed. */
  private async publishKev(request: Request) {
    const { world } = this
    const text = await (await this.asOrigin(request)).text()
    const headers = { etag: `"${text.length}"` }
    const known = request.headers.get('if-none-match')
    // An older copy knows of no change, or calls what it has by another name.
    if (known && world.happens('feed-etag', 'kev.test'))
      return new Response(null, { status: 304, headers: { etag: known } })
    if (world.happens('feed-etag', 'kev.test')) return new Response(text, { headers: { etag: '"another"' } })
    const isSame = known === headers.etag
    return isSame ? new Response(null, { status: 304, headers }) : new Response(text, { headers })
  }

  private async receive(request: Request, url: URL) {
    const { world } = this
    const org = url.pathname.split('/')[1] ?? ''
    if ((this.outages.get(org) ?? 0) > world.scheduler.now_ms) return new Response('down', { status: 503 })
    if (world.happens('receiver-refuses', org))
      return new Response('no', { status: world.scheduler.pick([500, 502, 503, 429, 302, 400, 404, 410, 413]) })
    if (world.happens('receiver-hangs', org)) await world.scheduler.pause(600_000)
    const body = await request.text()
    const isTold = !request.signal.aborted && !world.happens('receiver-forgets-answer', org)
    world.received.push({
      org,
      id: request.headers.get('webhook-id') ?? '',
      body,
      isTold,
      sender: world.scheduler.running.getStore(),
    })
    if (!isTold) throw new TypeError('Network connection lost.')
    return new Response('{}', { status: 200 })
  }

  async sendMail(mail: SentMail) {
    const { world } = this
    await this.reach(mail.to)
    if (world.happens('mail-refused', mail.to)) throw new Error('451 Try again later')
    world.mails.push(mail)
    if (world.happens('receiver-forgets-answer', mail.to)) throw new Error('Connection lost')
  }
}

const breakingOff = (part: Uint8Array) =>
  new ReadableStream(
    {
      start: (controller) => controller.enqueue(part),
      pull: (controller) => controller.error(new TypeError('Network connection lost.')),
    },
    { highWaterMark: 0 },
  )

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))

/** OSV's files of one ecosystem, and its list of all. */
export function answerBucket(advisories: Map<string, Advisory>, { pathname }: URL) {
  const records = [...advisories.values()]
  if (pathname.endsWith('/all.zip')) {
    const files = records.map((one) => ({ name: `${one.id}.json`, data: Buffer.from(JSON.stringify(one)) }))
    return serveFile(toZip([{ name: 'README.txt', data: Buffer.from('OSV') }, ...files]), undefined, {
      hasRanges: false,
    })
  }
  if (pathname.endsWith('/modified_id.csv')) {
    const folder = pathname === '/modified_id.csv' ? 'npm/' : ''
    const lines = records.map(({ id, modified }) => `${modified},${folder}${id}\n`)
    return new Response(lines.toSorted().toReversed().join(''))
  }
  const one = advisories.get(pathname.slice('/npm/'.length).replace(/\.json$/, ''))
  return one ? Response.json(one) : new Response('no', { status: 404 })
}
