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
  const setTimer =
    (isRepeated: boolean) =>
    (run: (...values: unknown[]) => void, ms = 0, ...values: unknown[]) => {
      const [id, who] = [++timer, scheduler.running.getStore()]
      const begin = () =>
        timers.set(
          id,
          scheduler.at(scheduler.now_ms + ms, () => scheduler.goOn(who, release)),
        )
      const release = () => {
        if (!timers.delete(id)) return
        if (isRepeated) begin()
        if (who) scheduler.running.run(who, run, ...values)
        else run(...values)
      }
      begin()
      return id
    }
  const clearTimer = (id: number) => {
    timers.get(id)?.()
    timers.delete(id)
  }
  const timeout = (ms: number) => {
    const controller = new AbortController()
    setTimer(false)(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
    )
    return controller.signal
  }
  const fill = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.byteLength; at++) bytes[at] = scheduler.int(0, 255)
  }
  Object.assign(globalThis, {
    Date: SimulatedDate,
    setTimeout: setTimer(false),
    setInterval: setTimer(true),
    clearTimeout: clearTimer,
    clearInterval: clearTimer,
    IdentityTransformStream: TransformStream,
    FixedLengthStream: TransformStream,
    DecompressionStream: unpacking({ gzip: gunzipSync, deflate: inflateSync, 'deflate-raw': inflateRawSync }),
    CompressionStream: unpacking({ gzip: (bytes: Uint8Array) => gzipSync(bytes) }),
  })
  AbortSignal.timeout = timeout
  Math.random = scheduler.random
  performance.now = () => scheduler.now_ms
  Object.defineProperty(crypto, 'getRandomValues', {
    value: <Bytes extends ArrayBufferView>(into: Bytes) => {
      fill(new Uint8Array(into.buffer, into.byteOffset, into.byteLength))
      return into
    },
  })
  Object.defineProperty(crypto, 'randomUUID', {
    value: () => {
      const hex = createHash('sha256').update(String(scheduler.random())).digest('hex')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    },
  })
  countCryptography(scheduler)
  ReadableStream.prototype.getReader = readAtLeast as unknown as typeof ReadableStream.prototype.getReader
}

const plainReader = ReadableStream.prototype.getReader

// Workers read at least so many bytes of any stream of bytes at once.
function readAtLeast(this: ReadableStream<Uint8Array>, mode?: { mode?: string }) {
  const reader = plainReader.call(this) as ReadableStreamDefaultReader<Uint8Array>
  if (mode?.mode !== 'byob') return reader
  let rest = Buffer.alloc(0)
  return {
    cancel: (reason: unknown) => reader.cancel(reason),
    async readAtLeast(least: number, into: Uint8Array) {
      let isDone = false
      while (rest.length < least && !isDone) {
        const { done, value } = await reader.read()
        isDone = done
        if (value) rest = Buffer.concat([rest, value])
      }
      const value = new Uint8Array(rest.subarray(0, into.length))
      rest = rest.subarray(value.length)
      return { done: isDone && !value.length, value }
    },
  }
}

type Subtle = Record<string, (...values: unknown[]) => unknown>

function countCryptography(scheduler: Scheduler) {
  const subtle = crypto.subtle as unknown as Subtle
  for (const name of Object.getOwnPropertyNames(SubtleCrypto.prototype).filter((one) => one !== 'constructor')) {
    const real = subtle[name]?.bind(crypto.subtle)
    const counted = (...values: unknown[]) => {
      scheduler.outside++
      return Promise.resolve(real?.(...values)).finally(() => scheduler.outside--)
    }
    Object.defineProperty(subtle, name, { value: counted })
  }
  // Workers have it, Node has it elsewhere.
  Object.defineProperty(subtle, 'timingSafeEqual', {
    value: (one: Uint8Array, other: Uint8Array) => one.byteLength === other.byteLength && timingSafeEqual(one, other),
  })
}

type Packed = (bytes: Uint8Array) => Uint8Array

/** At once instead of in a thread of its own, whose end nobody orders. */
const unpacking = (formats: Record<string, Packed>) =>
  class extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: string) {
      const chunks: Uint8Array[] = []
      super({
        transform: (chunk) => void chunks.push(chunk),
        flush: (controller) => controller.enqueue(new Uint8Array(formats[format]?.(Buffer.concat(chunks)) ?? [])),
      })
    }
  }
