import type { DatabaseSync } from 'node:sqlite'
import { simulatedD1 } from './database.ts'
import { Network } from './network.ts'
import type { SentMail, ReceivedMessage } from './network.ts'
import { faultRates, stalls } from './faults.ts'
import type { FaultName } from './faults.ts'
import { Died } from './scheduler.ts'
import type { Invocation, Scheduler } from './scheduler.ts'

export type Handlers = {
  fetch: (request: Request, env: object, context: object) => Promise<Response>
  scheduled: (controller: object, env: object) => Promise<void>
  queue: (batch: object, env: object) => Promise<void>
}
type Message = { body: unknown; attempts: number }
type Queue = { name: string; ready: Message[]; last?: Message; busy: number; concurrency: number; most: number }
type Line = { step: number; at: string; text: string }

const queueShapes = [
  ['earshot-feeds', 1, 1],
  ['earshot-alerts', 1, 100],
  ['earshot-verdicts', 4, 10],
  ['earshot-deliveries', 3, 10],
  ['earshot-feeds-dead', 1, 10],
  ['earshot-alerts-dead', 1, 10],
  ['earshot-verdicts-dead', 1, 10],
  ['earshot-deliveries-dead', 1, 10],
] as const
const maxAttempts = 4
/** A consumer that was killed loses its messages after so long. */
const lostAfter_ms = 60_000

type Given = {
  scheduler: Scheduler
  file: DatabaseSync
  /** One for each isolate. */
  workers: Handlers[]
  openIsolate: () => Promise<Handlers>
  faults: ReadonlySet<FaultName>
}

/** The Worker with everything around it. Whatever goes wrong without a fault from outside stands in `problems`. */
export class SimulatedWorld {
  readonly lines: Line[] = []
  readonly problems: string[] = []
  readonly mails: SentMail[] = []
  readonly received: ReceivedMessage[] = []
  /** When this story began; what was sent before, another one received. */
  readonly began: string
  readonly network: Network
  /** Off while the world settles. */
  isFaulty = false
  readonly scheduler: Scheduler
  readonly file: DatabaseSync
  private readonly workers: Handlers[]
  private readonly openIsolate: Given['openIsolate']
  private readonly faults: ReadonlySet<FaultName>
  private readonly env: object
  private readonly queues: Map<string, Queue>
  private alive = 0
  /** Messages that have not arrived. */
  private flying = 0

  constructor({ scheduler, file, workers, openIsolate, faults }: Given) {
    this.scheduler = scheduler
    this.began = new Date(scheduler.now_ms).toISOString()
    this.file = file
    this.workers = workers
    this.openIsolate = openIsolate
    this.faults = faults
    this.network = new Network(this)
    this.queues = new Map(
      queueShapes.map(([name, concurrency, most]) => [name, { name, ready: [], busy: 0, concurrency, most }]),
    )
    this.env = {
      DB: simulatedD1(file, {
        trip: (work, isWrite) => this.trip(work, isWrite),
        staysBehind: () => this.happens('copy-late'),
        now_ms: () => scheduler.now_ms,
      }),
      FEEDS: { send: (body: unknown, given?: Options) => this.send('earshot-feeds', body, given) },
      ALERTS: { send: (body: unknown, given?: Options) => this.send('earshot-alerts', body, given) },
      VERDICTS: { send: (body: unknown, given?: Options) => this.send('earshot-verdicts', body, given) },
      DELIVERIES: { send: (body: unknown, given?: Options) => this.send('earshot-deliveries', body, given) },
      MAIL: { send: (mail: SentMail) => this.network.sendMail(mail) },
      APP_SECRET: 'only-for-the-simulator-0123456789abcdef0123456789',
      APP_URL: 'https://earshot.test',
      MAIL_FROM: 'Earshot <alerts@earshot.test>',
      OFFLINE: '1',
      LOCAL_CHANNELS: '1',
      RATE_SCALE: '1000',
      NOTE_REFUSALS: '0',
      ...this.network.settings,
    }
    globalThis.fetch = (input, init) => this.network.fetch(new Request(input, init))
  }

  private get worker() {
    return this.scheduler.pick(this.workers)
  }

  /** One isolate ends, and another one begins. */
  async recycle() {
    this.scheduler.outside++
    const place = this.scheduler.int(0, this.workers.length - 1)
    this.workers[place] = await this.openIsolate().finally(() => this.scheduler.outside--)
  }

  note(text: string) {
    const at = new Date(this.scheduler.now_ms).toISOString().slice(0, 19)
    this.lines.push({ step: this.scheduler.steps, at, text })
  }

  /** A fault that may happen here, and does. */
  happens(name: FaultName, what = ''): boolean {
    if (!this.isFaulty || !this.faults.has(name) || this.scheduler.random() >= faultRates[name]) return false
    const who = this.scheduler.running.getStore()
    if (who) who.hasFault = true
    this.note(`fault ${name}${what && `: ${what}`}${who ? ` in ${who.what}` : ''}`)
    return true
  }

  private async trip<CallAnswer>(work: () => Promise<CallAnswer>, isWrite: boolean): Promise<CallAnswer> {
    const { scheduler } = this
    const who = scheduler.running.getStore()
    if (isWrite && who?.onSleep && this.happens(stalls[who.what] ?? 'stalled')) this.stall(who)
    await scheduler.pause(scheduler.int(1, 5) + (who?.isFar ? scheduler.int(1_000, 15_000) : 0))
    if (this.happens('database-before')) throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
    const answer = await work()
    await scheduler.pause(scheduler.int(1, 5))
    if (this.happens('database-after')) throw new Error('D1_ERROR: Network connection lost.')
    return answer
  }

  /** Between reading and writing: others work on the same meanwhile, as queues bring again what they brought before. */
  private stall(who: Invocation) {
    const { scheduler } = this
    who.asleep_until_ms = scheduler.now_ms + scheduler.int(40, 200) * 1_000
    if (scheduler.int(1, 2) === 1) who.onSleep?.()
    for (const { name, last } of this.queues.values())
      if (last) this.enqueue(name, { body: last.body, attempts: 1 }, scheduler.int(1, 5_000))
  }

  private async send(name: string, body: unknown, { delaySeconds = 0 }: Options = {}) {
    await this.scheduler.pause(this.scheduler.int(1, 5))
    if (this.happens('queue-lost', name)) return
    const copies = this.happens('queue-doubled', name) ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      const late_ms = this.happens('queue-late', name) ? this.scheduler.int(1, 120) * 1_000 : this.scheduler.int(1, 900)
      this.enqueue(name, { body: structuredClone(body), attempts: 1 }, delaySeconds * 1_000 + late_ms)
    }
  }

  private enqueue(name: string, message: Message, delay_ms: number) {
    this.flying++
    this.scheduler.at(this.scheduler.now_ms + delay_ms, () => {
      this.flying--
      this.queues.get(name)?.ready.push(message)
      this.consume(name)
    })
  }

  // In any order, in batches of any size.
  private consume(name: string) {
    const queue = this.queues.get(name)
    if (!queue?.ready.length || queue.busy >= queue.concurrency) return
    const count = this.scheduler.int(1, Math.min(queue.most, queue.ready.length))
    const batch = Array.from({ length: count }, () => {
      const [message] = queue.ready.splice(this.scheduler.int(0, queue.ready.length - 1), 1)
      queue.last = message
      return message as Message
    })
    queue.busy++
    void this.invoke(`a batch of ${name}`, () =>
      this.worker.queue({ queue: name, messages: batch.map(({ body }) => ({ body })) }, this.env),
    )
      .catch((error: unknown) => this.repeat(name, batch, error))
      .then(() => {
        queue.busy--
        this.consume(name)
      })
  }

  private repeat(name: string, batch: Message[], error: unknown) {
    for (const { body, attempts } of batch) {
      const delay_ms = error instanceof Died ? lostAfter_ms : this.scheduler.int(1, 30) * 1_000
      if (attempts < maxAttempts) this.enqueue(name, { body, attempts: attempts + 1 }, delay_ms)
      else if (!name.endsWith('-dead')) this.enqueue(`${name}-dead`, { body, attempts: 1 }, delay_ms)
    }
  }

  /** Runs a part of the Worker in an isolate with a clock of its own, which may be killed at any wait. Work may stand still, is given to others, and goes on. */
  invoke<Result>(what: string, run: () => Promise<Result>, isWork = true): Promise<Result> {
    const { scheduler } = this
    return new Promise((resolve, reject) => {
      const isFar = this.happens('database-slow', what)
      const who: Invocation = {
        what,
        skew_ms: this.happens('clock-jump', what)
          ? scheduler.int(-30, 30) * 60_000
          : this.happens('clock-skew', what)
            ? scheduler.int(-1_500, 1_500)
            : 0,
        waits_left: this.happens('killed', what) ? scheduler.int(0, 30) : Infinity,
        asleep_until_ms: 0,
        isFar,
        isDead: false,
        hasFault: isFar,
        onDeath: () => {
          this.alive--
          this.note(`${what} is killed`)
          reject(new Died(what))
        },
        ...(isWork && { onSleep: () => reject(new Died(what)) }),
      }
      this.alive++
      const end = () => {
        if (!who.isDead) this.alive--
      }
      scheduler.running.run(who, () => run().finally(end).then(resolve, reject))
    })
  }

  async request(path: string, init: RequestInit = {}) {
    const later: Promise<unknown>[] = []
    const context = {
      waitUntil: (work: Promise<unknown>) => void later.push(work),
      passThroughOnException: () => undefined,
    }
    let hasFault = false
    const answer = await this.invoke(
      `${init.method ?? 'GET'} ${path}`,
      async () => {
        const response = await this.worker.fetch(new Request(`https://earshot.test${path}`, init), this.env, context)
        const text = await response.text()
        hasFault = this.scheduler.running.getStore()?.hasFault ?? false
        await Promise.allSettled(later)
        return { status: response.status, text, bookmark: response.headers.get('x-d1-bookmark') }
      },
      false,
    )
    return { ...answer, hasFault }
  }

  async tick(cron = '* * * * *') {
    if (this.happens('cron-skipped', cron)) return
    const times = this.happens('cron-doubled', cron) ? 2 : 1
    const scheduledTime = Math.floor(this.scheduler.now_ms)
    if (this.happens('cron-late', cron)) await this.later(this.scheduler.int(1, 200) * 1_000)
    const one = () =>
      this.invoke(`the clock's ${cron}`, () => this.worker.scheduled({ cron, scheduledTime }, this.env)).catch(
        (error: unknown) => {
          if (!(error instanceof Died)) this.problems.push(`the clock failed: ${String(error)}`)
        },
      )
    await Promise.all(Array.from({ length: times }, one))
  }

  /** Waits as a person does. */
  later = (ms: number) => new Promise<void>((resolve) => void this.scheduler.at(this.scheduler.now_ms + ms, resolve))

  isBusy = () =>
    this.alive > 0 ||
    this.flying > 0 ||
    [...this.queues.values()].some(({ ready, busy }) => ready.length > 0 || busy > 0)

  /** What the simulator itself asks, beyond the limits of D1. */
  rows = <Row>(sql: string, ...values: (string | number)[]) => {
    const { limits } = this.file
    const { compoundSelect } = limits
    limits.compoundSelect = 500
    const found = this.file.prepare(sql).all(...values) as Row[]
    limits.compoundSelect = compoundSelect
    return found
  }
}
type Options = { delaySeconds?: number }
