import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, timingSafeEqual } from 'node:crypto'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { SeededChance } from './seeded-chance.ts'

/** One call of the Worker: a request, a batch of messages or a tick of the clock. */
export type Invocation = {
  what: string
  /** How far the clock of its isolate is off. */
  skew_ms: number
  /** Each trip to the database takes it seconds. */
  isFar: boolean
  /** Others may have taken it for lost. */
  isLate: boolean
  isDead: boolean
  /** Something outside failed it, so that it may fail. */
  hasFault: boolean
  /** While it stands still: until others (whoever has its work now) have written so many batches; waits that were due meanwhile end then. */
  asleep?: { batches: number; by: string | undefined; due: (() => void)[] } | undefined
  /** Its giver takes it for lost, and gives it to others; nobody gives a request again. */
  lose: () => void
  isGiven: boolean
}

/** A call that was killed. */
export class Died extends Error {}

/** Owns every wait, random number and clock: of all that waits, the first due goes on, and then nothing else until all is quiet. */
export class Scheduler extends SeededChance {
  now_ms: number
  steps = 0
  readonly running = new AsyncLocalStorage<Invocation | undefined>()
  private readonly outside: (() => Promise<void>)[] = []
  private waiting: { at_ms: number; release: () => void }[] = []

  constructor(seed: number, now_ms: number) {
    super(seed)
    this.now_ms = now_ms
  }

  /** By the second. */
  iso = () => new Date(this.now_ms).toISOString().slice(0, 19)

  /** Runs at a time; answers how to call it off. */
  at(at_ms: number, release: () => void) {
    const event = { at_ms: Math.max(at_ms, this.now_ms), release }
    this.waiting.splice(this.waiting.findLastIndex((other) => other.at_ms <= event.at_ms) + 1, 0, event)
    return () => void (this.waiting = this.waiting.filter((other) => other !== event))
  }

  /** A wait of whatever runs; a call that was killed never goes on. */
  pause(ms: number): Promise<void> {
    const who = this.running.getStore()
    if (who?.isDead) return new Promise(() => undefined)
    return new Promise((resolve) => void this.at(this.now_ms + ms, () => this.goOn(who, resolve)))
  }

  /** Waits as a person does. */
  later = (ms: number) => new Promise<void>((resolve) => void this.at(this.now_ms + ms, resolve))

  goOn(who: Invocation | undefined, run: () => void) {
    if (who?.isDead) return
    if (who?.asleep) who.asleep.due.push(run)
    else run()
  }

  wake(who: Invocation) {
    const due = who.asleep?.due ?? []
    who.asleep = undefined
    for (const run of due) this.goOn(who, run)
  }

  /** Work of the platform that is not ours to order (cryptography): its result is handed out in the order of the calls, when all is quiet. */
  outsideOf<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.catch(() => undefined)
    return new Promise((resolve) => void this.outside.push(() => ended.then(() => resolve(work))))
  }

  /** Lets the world go on until the work is done. */
  async drive<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false
    const end = () => void (isDone = true)
    work.then(end, end)
    for (;;) {
      for (let turn = 0; turn < 2; turn++) await turnOfEvents()
      const ended = this.outside.shift()
      await ended?.()
      if (ended) continue
      if (isDone) return work
      const next = this.waiting.shift()
      if (!next) throw new Error('Nothing waits any more, and the work is not done')
      // Events that were due while all stood still come late.
      this.now_ms = Math.max(this.now_ms, next.at_ms)
      this.steps++
      next.release()
    }
  }
}

const [RealDate, realSubtle] = [Date, crypto.subtle]

/** Gives the scheduler every clock, timer and random number of this process from now on, and counts the platform's own work. */
export function installGlobals(scheduler: Scheduler) {
  const now = () => Math.floor(scheduler.now_ms + (scheduler.running.getStore()?.skew_ms ?? 0))
  class SimulatedDate extends RealDate {
    static override now = now
    constructor(...given: unknown[]) {
      super(...((given.length ? given : [now()]) as [number]))
    }
  }
  const timers = new Map<number, () => void>()
  let begun = 0
  const startTimer = (run: () => void, ms = 0, isRepeated = false, id = ++begun) => {
    const who = scheduler.running.getStore()
    const release = () => {
      if (!timers.delete(id)) return
      if (isRepeated) scheduler.running.run(who, () => startTimer(run, ms, true, id))
      scheduler.running.run(who, run)
    }
    const callOff = scheduler.at(scheduler.now_ms + ms, () => scheduler.goOn(who, release))
    timers.set(id, callOff)
    return id
  }
  const endTimer = (id: number) => {
    timers.get(id)?.()
    timers.delete(id)
  }
  // By its name a runtime says that it compiles no code from strings, which takes longer than it saves.
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Cloudflare-Workers' }, configurable: true })
  Object.assign(globalThis, {
    Date: SimulatedDate,
    setTimeout: (run: () => void, ms?: number) => startTimer(run, ms),
    setInterval: (run: () => void, ms?: number) => startTimer(run, ms, true),
    clearTimeout: endTimer,
    clearInterval: endTimer,
    IdentityTransformStream: TransformStream,
    DecompressionStream: atOnce({ gzip: gunzipSync, deflate: inflateSync, 'deflate-raw': inflateRawSync }),
    CompressionStream: atOnce({ gzip: gzipSync }),
  })
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    startTimer(() => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms)
    return controller.signal
  }
  Math.random = scheduler.random
  performance.now = () => scheduler.now_ms
  for (const [name, value] of Object.entries(seededCrypto(scheduler)))
    Object.defineProperty(crypto, name, { value, configurable: true })
}

const seededCrypto = (scheduler: Scheduler) => ({
  getRandomValues<Bytes extends ArrayBufferView>(into: Bytes) {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
    for (const at of bytes.keys()) bytes[at] = scheduler.int(0, 255)
    return into
  },
  randomUUID() {
    const hex = createHash('sha256').update(String(scheduler.random())).digest('hex')
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5')
  },
  subtle: new Proxy(realSubtle, {
    get(real, name) {
      // Workers have it, Node has it elsewhere.
      if (name === 'timingSafeEqual') return timingSafeEqual
      const work = Reflect.get(real, name) as (...values: unknown[]) => Promise<unknown>
      return (...values: unknown[]) => scheduler.outsideOf(work.apply(real, values))
    },
  }),
})

/** Packs or unpacks at once instead of in a thread of its own, whose end nobody orders. */
const atOnce = (formats: Record<string, (bytes: Uint8Array) => Uint8Array>) =>
  function open(format: string) {
    const chunks: Uint8Array[] = []
    return new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk) => void chunks.push(chunk),
      flush: (controller) => controller.enqueue(new Uint8Array(formats[format]?.(Buffer.concat(chunks)) ?? [])),
    })
  }
