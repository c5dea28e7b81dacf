import { createHash, timingSafeEqual } from 'node:crypto'
import { gunzipSync, gzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Scheduler } from './scheduler.ts'

const RealDate = Date

/** Gives the scheduler every clock, timer and random number of this process, and counts the platform's own work. */
export function installGlobals(scheduler: Scheduler) {
  const now = () => Math.floor(scheduler.now_ms + (scheduler.running.getStore()?.skew_ms ?? 0))
  class SimulatedDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length ? given : [now()]) as [number]))
    }
    static override now = now
  }
  const timers = new Map<number, () => void>()
  let timer = 0
  const startTimer = (run: () => void, ms = 0, isRepeated = false) => {
    const [id, who] = [++timer, scheduler.running.getStore()]
    const begin = () => {
      const cancel = scheduler.at(scheduler.now_ms + ms, () => scheduler.goOn(who, release))
      timers.set(id, cancel)
    }
    const release = () => {
      if (!timers.delete(id)) return
      if (isRepeated) begin()
      scheduler.running.run(who, run)
    }
    begin()
    return id
  }
  const endTimer = (id: number) => {
    timers.get(id)?.()
    timers.delete(id)
  }
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
  for (const [name, value] of Object.entries(seededCrypto(scheduler))) Object.defineProperty(crypto, name, { value })
}

const seededCrypto = (scheduler: Scheduler) => ({
  getRandomValues<Bytes extends ArrayBufferView>(into: Bytes) {
    const bytes = new Uint8Array(into.buffer, into.byteOffset, into.byteLength)
    for (const at of bytes.keys()) bytes[at] = scheduler.int(0, 255)
    return into
  },
  randomUUID() {
    const hex = createHash('sha256').update(String(scheduler.random())).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  },
  subtle: new Proxy(crypto.subtle, {
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
  class extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: string) {
      const chunks: Uint8Array[] = []
      super({
        transform: (chunk) => void chunks.push(chunk),
        flush: (controller) => controller.enqueue(new Uint8Array(formats[format]?.(Buffer.concat(chunks)) ?? [])),
      })
    }
  }
