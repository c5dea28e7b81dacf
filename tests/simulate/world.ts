import type { DatabaseSync } from 'node:sqlite'
import { asD1 } from '../support/sqlite-d1.ts'
import { workerSettings } from '../support/worker-settings.ts'
import { openCopy, simulatedD1 } from './database.ts'
import { watchOver } from './invariants.ts'
import { Knowledge } from './knowledge.ts'
import { networkSettings, openNetwork, type ReceivedMessage, type SentMail } from './network.ts'
import type { Organization } from './organizations.ts'
import { Died, installGlobals, Scheduler, type Invocation } from '../support/scheduler.ts'
import { faults, type Ending, type FaultName, type FaultShape, type Story } from './story.ts'

type Handlers = {
  fetch: (request: Request, env: object, context: object) => Promise<Response>
  scheduled: (controller: object, env: object) => Promise<void>
  queue: (batch: object, env: object) => Promise<void>
}
type Maker = (exports: { default: Handlers }) => void
type Message = { body: object; attempts: number }
type Queue = { ready: Message[]; last?: Message | undefined; busy: number; concurrency: number; most: number }

const clock = 'earshot-clock'
/** How many batches are consumed at once, and of how many messages. Ticks of the clock are lost, doubled and late as messages are. */
const queueShapes = {
  [clock]: [Infinity, 1],
  'earshot-jobs': [4, 1],
  'earshot-feeds': [1, 1],
  'earshot-alerts': [4, 10],
  'earshot-verdicts': [4, 10],
  'earshot-deliveries': [3, 10],
} as const
const maxAttempts = 4
/** A consumer that was killed loses its messages after so long. */
const lostAfter_ms = 60_000

/** The beginning of every story: a database, and what the publishers say by then. */
export type Base = { database: Uint8Array; now_ms: number; said?: Pick<Knowledge, 'records' | 'advisories'> }

const { default: make } = (await import(new URL('index.cjs', import.meta.url).href)) as { default: Maker }
/** The Worker beside this file once more, which knows nothing of what another isolate keeps in its memory. */
function openIsolate() {
  const worker = {} as { default: Handlers }
  make(worker)
  return worker.default
}

/** The Worker with everything around it. Each failure without a fault from outside stands in `problems`. */
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
  /** Without faults; it compiles each statement once. */
  readonly plain: ReturnType<typeof asD1>
  /** When this story began; another one received earlier mails. */
  readonly began = this.iso()
  /** Off while the world settles. */
  isFaulty = false
  events = 0
  founded = 0
  private readonly workers: Handlers[]
  private readonly env: object
  private readonly queues = new Map<string, Queue>()
  private readonly alive = new Set<Invocation>()
  /** Messages that no batch is done with. */
  private open_messages = 0

  /** `more` are settings of the Worker. */
  constructor(story: Story, { database, now_ms, said }: Base, more = {}) {
    super(story.seed, now_ms)
    this.story = story
    this.file = openCopy(database)
    this.plain = asD1(this.file)
    this.knowledge = new Knowledge(this, said)
    const bindings = Object.entries(queueShapes).map(([name, [concurrency, most]]) => {
      for (const one of [name, `${name}-dead`]) this.queues.set(one, { ready: [], busy: 0, concurrency, most })
      return [name.slice('earshot-'.length).toUpperCase(), { send: this.send.bind(this, name) }]
    })
    const MAIL = { send: (mail: SentMail) => this.network.sendMail(mail) }
    const settings = { ...workerSettings, ...networkSettings, ...more }
    this.env = { DB: simulatedD1(this), MAIL, ...Object.fromEntries(bindings), ...settings }
    globalThis.fetch = (input, init) => this.network.fetch(new Request(input, init))
    installGlobals(this)
    this.workers = [openIsolate(), openIsolate()]
  }

  /** One isolate ends, and another one begins. */
  recycle = () => void this.workers.splice(this.int(0, 1), 1, openIsolate())

  note = (text: string) => void this.lines.push({ step: this.steps, at: this.iso(), text })

  /** How large a fault is that may happen here, and does; else 0. */
  fault(name: FaultName, what = '', times = 1) {
    const [share, least = 1, most = 1]: FaultShape = faults[name]
    if (!this.isFaulty || this.story.without.includes(name) || !this.is(share * times)) return 0
    const who = this.running.getStore()
    if (who) who.hasFault = true
    this.note(`fault ${name}${what && `: ${what}`}${who ? ` in ${who.what}` : ''}`)
    return this.int(least, most)
  }
  happens = (name: FaultName, what?: string) => this.fault(name, what) !== 0

  /** There and back; a message may die on either way. */
  async travel<Found>(ms: number, death: 'killed' | 'killed-calling', work: () => Promise<Found>): Promise<Found> {
    const who = this.running.getStore()
    const go = (wait_ms: number) => {
      if (who && !who.isDead && this.happens(death)) {
        who.isDead = true
        this.alive.delete(who)
        who.lose()
      }
      return this.pause(wait_ms)
    }
    await go(ms)
    const found = await work()
    await go(this.int(1, 5))
    return found
  }

  /** To the database and back, with so many statements that write. */
  trip<Found>(writes: number, work: () => Promise<Found>): Promise<Found> {
    const who = this.running.getStore()
    const sleep_ms = who?.isGiven ? this.fault('stalled', '', writes) : 0
    if (who && sleep_ms) this.stall(who, sleep_ms)
    return this.travel(this.int(1, 5) + (who?.isFar ? this.int(1_000, 15_000) : 0), 'killed', async () => {
      const isFailing = this.happens('database-fails')
      if (isFailing && this.is(0.5)) throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
      const found = await work()
      if (writes > 1)
        for (const one of this.alive)
          if (one.asleep && (one.asleep.by ?? who?.what) === who?.what && --one.asleep.batches === 0) this.wake(one)
      if (isFailing) throw new Error('D1_ERROR: Network connection lost.')
      return found
    })
  }

  /** Between reading and writing, until others have written or minutes are over, as queues bring again what they brought before, and perhaps give to others what this one had. */
  private stall(who: Invocation, sleep_ms: number) {
    const isLost = this.is(0.8)
    who.isLate = true
    who.asleep = { batches: this.pick([1, 2, 4, 8, Infinity, Infinity]), by: isLost ? who.what : undefined, due: [] }
    this.at(this.now_ms + sleep_ms, () => this.wake(who))
    if (isLost) who.lose()
    for (const [name, { last }] of this.queues)
      if (last) this.enqueue(name, { body: last.body, attempts: 1 }, this.int(1, 5_000))
  }

  private async send(name: string, body: object, { delaySeconds = 0 } = {}) {
    await this.pause(this.int(1, 5))
    if (this.happens('queue-lost', name)) return
    for (let copies = this.happens('queue-doubled', name) ? 2 : 1; copies > 0; copies--) {
      const late_ms = this.fault('queue-late', name) || this.int(1, 900)
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
    const [first] = batch
    if (name !== clock) queue.last = first
    queue.busy++
    const run = (worker: Handlers) =>
      first && name === clock
        ? worker.scheduled(first.body, this.env)
        : worker.queue({ queue: name, messages: batch.map(({ body }) => ({ body })) }, this.env)
    void this.invoke(name, run)
      .catch((error: unknown) => this.repeat(name, batch, error))
      .then(() => {
        queue.busy--
        this.open_messages -= count
        this.consume(name)
      })
  }

  private repeat(name: string, batch: Message[], error: unknown) {
    const isLost = error instanceof Died
    if (name === clock && !isLost) this.problems.push(`the clock failed: ${String(error)}`)
    for (const { body, attempts } of name === clock ? [] : batch) {
      const delay_ms = isLost ? lostAfter_ms : this.int(1, 30) * 1_000
      if (attempts < maxAttempts) this.enqueue(name, { body, attempts: attempts + 1 }, delay_ms)
      else if (!name.endsWith('-dead')) this.enqueue(`${name}-dead`, { body, attempts: 1 }, delay_ms)
    }
  }

  /** Runs a part of the Worker in an isolate with a clock of its own. */
  private invoke<Result>(what: string, run: (worker: Handlers) => Promise<Result>, isGiven = true): Promise<Result> {
    return new Promise((resolve, reject) => {
      const isFar = this.happens('database-slow', what)
      const skew_ms = this.fault('clock-jump', what) || this.fault('clock-skew', what)
      const lose = () => reject(new Died(what))
      const who = { what, skew_ms, isFar, isLate: isFar, isDead: false, hasFault: isFar, lose, isGiven }
      this.alive.add(who)
      const end = () => void this.alive.delete(who)
      this.running.run(who, () => run(this.pick(this.workers)).finally(end).then(resolve, reject))
    })
  }

  /** Null when the call died. */
  async request(path: string, init: RequestInit) {
    const following: Promise<unknown>[] = []
    const context = { waitUntil: (work: Promise<unknown>) => void following.push(work) }
    const call = async (worker: Handlers) => {
      const response = await worker.fetch(new Request(`https://earshot.test${path}`, init), this.env, context)
      const hasFault = () => this.running.getStore()?.hasFault ?? false
      // A streamed answer may break off.
      const text = await response.text().catch((error: unknown) => {
        throw hasFault() ? new Died(path) : error
      })
      await Promise.allSettled(following)
      return { status: response.status, text, bookmark: response.headers.get('x-d1-bookmark'), hasFault: hasFault() }
    }
    return this.invoke(`${init.method} ${path}`, call, false).catch((error: unknown) => {
      if (error instanceof Died) return null
      throw error
    })
  }

  tick = (cron = '* * * * *') => this.send(clock, { cron, scheduledTime: Math.floor(this.now_ms) })

  /** Lets all happen that follows. */
  tickAfter = async (ms: number, cron?: string) => {
    await this.later(ms)
    await this.tick(cron)
    while (this.isBusy()) await this.later(1_000)
  }

  isBusy = () => this.alive.size + this.open_messages > 0

  /** The simulator's own questions. */
  rows = <Row>(sql: string, ...values: (string | number)[]) => this.plain.prepare(sql, values).now().results as Row[]
}
