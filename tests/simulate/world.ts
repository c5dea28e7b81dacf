import type { DatabaseSync } from 'node:sqlite'
import { workerSettings } from '../support/worker-settings.ts'
import type { Advisory } from '../worker/support/osv-bucket.ts'
import { openCopy, simulatedD1 } from './database.ts'
import { installGlobals } from './globals.ts'
import { watchOver } from './invariants.ts'
import { Knowledge } from './knowledge.ts'
import type { PublisherRecord } from './knowledge.ts'
import { networkSettings, openNetwork } from './network.ts'
import type { ReceivedMessage, SentMail } from './network.ts'
import type { Organization } from './organizations.ts'
import { Died, Scheduler } from './scheduler.ts'
import type { Invocation } from './scheduler.ts'
import { faultRates } from './story.ts'
import type { Ending, FaultName, Story } from './story.ts'

export type Handlers = {
  fetch: (request: Request, env: object, context: object) => Promise<Response>
  scheduled: (controller: object, env: object) => Promise<void>
  queue: (batch: object, env: object) => Promise<void>
}
type Message = { body: unknown; attempts: number }
type Queue = { ready: Message[]; last?: Message; busy: number; concurrency: number; most: number }
type Delay = { delaySeconds?: number }

/** How many batches are consumed at once, and of how many messages. */
const queueShapes = {
  FEEDS: ['earshot-feeds', 1, 1],
  ALERTS: ['earshot-alerts', 1, 100],
  VERDICTS: ['earshot-verdicts', 4, 10],
  DELIVERIES: ['earshot-deliveries', 3, 10],
} as const
const maxAttempts = 4
/** A consumer that was killed loses its messages after so long. */
const lostAfter_ms = 60_000
const isolates = 2
const half_hour_ms = 1_800_000

/** What every story begins with: a database, and what the publishers say by then. */
export type Base = {
  database: Uint8Array
  now_ms: number
  records: [string, PublisherRecord][]
  advisories: [string, Advisory][]
}

let opened = 0
/** The Worker beside this file once more, which knows nothing of what another isolate keeps in its memory. */
const openIsolate = async () =>
  ((await import(new URL(`./index.mjs?isolate=${++opened}`, import.meta.url).href)) as { default: Handlers }).default

/** The Worker with everything around it. Whatever goes wrong without a fault from outside stands in `problems`. */
export class SimulatedWorld extends Scheduler {
  readonly lines: Ending['lines'] = []
  readonly problems: string[] = []
  readonly mails: SentMail[] = []
  readonly received: ReceivedMessage[] = []
  readonly organizations: Organization[] = []
  /** Also those that are gone. */
  readonly everybody: Organization[] = []
  readonly network = openNetwork(this)
  readonly knowledge: Knowledge
  readonly look = watchOver(this)
  readonly story: Story
  readonly file: DatabaseSync
  /** When this story began; what was sent before, another one received. */
  readonly began: string
  /** Off while the world settles. */
  isFaulty = false
  events = 0
  founded = 0
  private workers: Handlers[] = []
  private readonly env: object
  private readonly queues = new Map<string, Queue>()
  private readonly alive = new Set<Invocation>()
  /** Messages that no batch is done with. */
  private open_messages = 0

  /** `more` are settings of the Worker. */
  constructor(story: Story, { database, now_ms, records, advisories }: Base, more = {}) {
    super(story.seed, now_ms)
    this.story = story
    this.file = openCopy(database)
    this.began = this.iso()
    this.knowledge = new Knowledge(this, records, advisories)
    const bindings = Object.entries(queueShapes).map(([binding, [name, concurrency, most]]) => {
      this.queues.set(name, { ready: [], busy: 0, concurrency, most })
      this.queues.set(`${name}-dead`, { ready: [], busy: 0, concurrency: 1, most: 10 })
      return [binding, { send: (body: unknown, delay?: Delay) => this.send(name, body, delay) }]
    })
    const MAIL = { send: (mail: SentMail) => this.network.sendMail(mail) }
    const DB = simulatedD1(this.file, this)
    this.env = { DB, MAIL, ...Object.fromEntries(bindings), ...workerSettings, ...networkSettings, ...more }
    globalThis.fetch = (input, init) => this.network.fetch(new Request(input, init))
    installGlobals(this)
  }

  async open() {
    this.workers = await Promise.all(Array.from({ length: isolates }, openIsolate))
    return this
  }

  /** One isolate ends, and another one begins. */
  async recycle() {
    const place = this.int(0, isolates - 1)
    this.workers[place] = await this.outsideOf(openIsolate())
  }

  note(text: string) {
    this.lines.push({ step: this.steps, at: this.iso(), text })
  }

  /** A fault that may happen here, and does. */
  happens(name: FaultName, what = '', times = 1): boolean {
    if (!this.isFaulty || !this.story.faults.includes(name) || !this.is(faultRates[name] * times)) return false
    const who = this.running.getStore()
    if (who) who.hasFault = true
    this.note(`fault ${name}${what && `: ${what}`}${who ? ` in ${who.what}` : ''}`)
    return true
  }

  /** A number by which a fault shows, if it happens. */
  private perhaps(name: FaultName, what: string, [least, most]: [least: number, most: number]) {
    return this.happens(name, what) ? this.int(least, most) : undefined
  }

  /** To the database and back. */
  async trip<Found>(batch: number, work: () => Promise<Found>): Promise<Found> {
    const who = this.running.getStore()
    if (who?.onSleep && this.happens('stalled', '', batch)) this.stall(who, who.onSleep)
    await this.pause(this.int(1, 5) + (who?.isFar ? this.int(1_000, 15_000) : 0))
    if (this.happens('database-before')) throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
    const found = await work()
    if (batch && !who?.isDead)
      for (const one of this.alive)
        if (one.asleep && (one.asleep.by ?? who?.what) === who?.what && --one.asleep.batches === 0) this.wake(one)
    await this.pause(this.int(1, 5))
    if (this.happens('database-after')) throw new Error('D1_ERROR: Network connection lost.')
    return found
  }

  /** Between reading and writing, until others (whoever has its work now) have written or minutes are over, as queues bring again what they brought before. */
  private stall(who: Invocation, onSleep: () => void) {
    who.isLate = true
    this.at(this.now_ms + this.int(40, 200) * 1_000, () => this.wake(who))
    const isLost = this.is(0.5)
    who.asleep = { batches: this.pick([1, 2, 4, 8, Infinity, Infinity]), by: isLost ? who.what : undefined, due: [] }
    if (isLost) onSleep()
    for (const [name, { last }] of this.queues)
      if (last) this.enqueue(name, { body: last.body, attempts: 1 }, this.int(1, 5_000))
  }

  private async send(name: string, body: unknown, { delaySeconds = 0 }: Delay = {}) {
    await this.pause(this.int(1, 5))
    if (this.happens('queue-lost', name)) return
    for (let copies = this.happens('queue-doubled', name) ? 2 : 1; copies > 0; copies--) {
      const late_ms = this.perhaps('queue-late', name, [1_000, 120_000]) ?? this.int(1, 900)
      this.enqueue(name, { body: structuredClone(body), attempts: 1 }, delaySeconds * 1_000 + late_ms)
    }
  }

  private enqueue(name: string, message: Message, delay_ms: number) {
    this.open_messages++
    this.at(this.now_ms + delay_ms, () => {
      this.queues.get(name)?.ready.push(message)
      this.consume(name)
    })
  }

  // In any order, in batches of any size.
  private consume(name: string) {
    const queue = this.queues.get(name)
    if (!queue?.ready.length || queue.busy >= queue.concurrency) return
    const count = this.int(1, Math.min(queue.most, queue.ready.length))
    const batch = Array.from({ length: count }, () => queue.ready.splice(this.int(0, queue.ready.length - 1), 1)).flat()
    queue.last = batch.at(-1)
    queue.busy++
    const messages = batch.map(({ body }) => ({ body }))
    void this.invoke(`a batch of ${name}`, (worker) => worker.queue({ queue: name, messages }, this.env))
      .catch((error: unknown) => this.repeat(name, batch, error))
      .then(() => {
        queue.busy--
        this.open_messages -= count
        this.consume(name)
      })
  }

  private repeat(name: string, batch: Message[], error: unknown) {
    for (const { body, attempts } of batch) {
      const delay_ms = error instanceof Died ? lostAfter_ms : this.int(1, 30) * 1_000
      if (attempts < maxAttempts) this.enqueue(name, { body, attempts: attempts + 1 }, delay_ms)
      else if (!name.endsWith('-dead')) this.enqueue(`${name}-dead`, { body, attempts: 1 }, delay_ms)
    }
  }

  /** Runs a part of the Worker in an isolate with a clock of its own, which may be killed at any wait. Work may stand still, is given to others, and goes on. */
  invoke<Result>(what: string, run: (worker: Handlers) => Promise<Result>, isWork = true): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(new Died(what))
      const isFar = this.happens('database-slow', what)
      const who: Invocation = {
        what,
        skew_ms:
          this.perhaps('clock-jump', what, [-half_hour_ms, half_hour_ms]) ??
          this.perhaps('clock-skew', what, [-1_500, 1_500]) ??
          0,
        waits_left: this.perhaps('killed', what, [0, 30]) ?? Infinity,
        isFar,
        isLate: isFar,
        isDead: false,
        hasFault: isFar,
        onDeath: () => {
          this.alive.delete(who)
          this.note(`${what} is killed`)
          lose()
        },
        ...(isWork && { onSleep: lose }),
      }
      this.alive.add(who)
      const end = () => void this.alive.delete(who)
      this.running.run(who, () => run(this.pick(this.workers)).finally(end).then(resolve, reject))
    })
  }

  async request(path: string, init: RequestInit) {
    const following: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => void following.push(work)
    const context = { waitUntil, passThroughOnException: () => undefined }
    const call = async (worker: Handlers) => {
      const response = await worker.fetch(new Request(`https://earshot.test${path}`, init), this.env, context)
      const text = await response.text()
      const hasFault = this.running.getStore()?.hasFault ?? false
      await Promise.allSettled(following)
      return { status: response.status, text, bookmark: response.headers.get('x-d1-bookmark'), hasFault }
    }
    return this.invoke(`${init.method} ${path}`, call, false).catch((error: unknown) => {
      if (error instanceof Died) return null
      throw error
    })
  }

  async tick(cron = '* * * * *') {
    if (this.happens('cron-skipped', cron)) return
    const times = this.happens('cron-doubled', cron) ? 2 : 1
    const scheduledTime = Math.floor(this.now_ms)
    if (this.happens('cron-late', cron)) await this.later(this.int(1, 200) * 1_000)
    const tickOnce = () =>
      this.invoke(`the clock's ${cron}`, (worker) => worker.scheduled({ cron, scheduledTime }, this.env)).catch(
        (error: unknown) => {
          if (!(error instanceof Died)) this.problems.push(`the clock failed: ${String(error)}`)
        },
      )
    await Promise.all(Array.from({ length: times }, tickOnce))
  }

  /** Lets all happen that follows. */
  tickAfter = async (ms: number, cron?: string) => {
    await this.later(ms)
    await this.tick(cron)
    while (this.isBusy()) await this.later(1_000)
  }

  isBusy = () => this.alive.size + this.open_messages > 0

  /** What the simulator itself asks. */
  rows = <Row>(sql: string, ...values: (string | number)[]) => this.file.prepare(sql).all(...values) as Row[]
}
