import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { SeededChance } from '../support/seeded-chance.ts'

/** One call of the Worker: a request, a batch of messages or a tick of the clock. */
export type Invocation = {
  what: string
  /** How far the clock of its isolate is off. */
  skew_ms: number
  /** So many waits it has before it is killed. */
  waits_left: number
  /** While it stands still: until others have written so many batches; what was due meanwhile comes then. */
  asleep?: { batches: number; by: string | undefined; due: (() => void)[] } | undefined
  /** Others may have taken it for lost. */
  isLate: boolean
  /** Each trip to the database takes it seconds. */
  isFar: boolean
  isDead: boolean
  /** Something outside failed it, so that it may fail. */
  hasFault: boolean
  onDeath: () => void
  /** Work may stand still and go on. Whoever gave it takes it for lost then, and gives it to others. */
  onSleep?: () => void
}

/** A call that was killed. */
export class Died extends Error {}

const forever = new Promise<never>(() => undefined)

/** Owns every wait, random number and clock: of all that waits, what is due first goes on, and then nothing else until all is quiet. */
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
    return () => {
      this.waiting = this.waiting.filter((other) => other !== event)
    }
  }

  /** A wait of whatever runs; a call that is killed never goes on. */
  pause(ms: number): Promise<void> {
    const who = this.running.getStore()
    if (who?.isDead) return forever
    if (who && who.waits_left-- <= 0) {
      who.isDead = true
      who.onDeath()
      return forever
    }
    return new Promise((resolve) => void this.at(this.now_ms + ms, () => this.goOn(who, resolve)))
  }

  /** Waits as a person does. */
  later = (ms: number) => new Promise<void>((resolve) => void this.at(this.now_ms + ms, resolve))

  /** Events that were due while it stood still come when it wakes up. */
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
    const end = () => {
      isDone = true
    }
    work.then(end, end)
    for (;;) {
      for (let turn = 0; turn < 2; turn++) await turnOfEvents()
      const ended = this.outside.shift()
      if (ended) {
        await ended()
        continue
      }
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
