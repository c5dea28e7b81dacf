import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { databaseFile } from '../support/database.ts'
import { freePort, startProduct, untilFeeds } from '../support/product.ts'
import { noteFigures } from './figures.ts'
import { env, isLoaded } from './load.ts'
import { anotherState } from './place.ts'
import type { BenchPlace } from './place.ts'

const bounds = { feed: 32, isolate: 128 }
/** V8 takes what it may have before it collects garbage, and ends an isolate that needs more. */
export const limitMemory = (MB: number) => ({ MINIFLARE_WORKERD_V8_FLAGS: `--max-heap-size=${MB}` })

/** Repeats the first load in an isolate with the memory limit of production, and watches its heap. */
export async function measureHeap(place: BenchPlace) {
  const state = anotherState(place, 'heap')
  const port = await freePort()
  const limits = { INSPECTOR_PORT: String(port), ...limitMemory(bounds.isolate) }
  const product = await startProduct({ feeds: place.feeds, state, env: { ...env, ...limits } })
  const heap = await watchHeap(product.url, port, databaseFile(state))
  await untilFeeds(product.url, isLoaded, 3_000, 20)
  const { idle, peaks } = await heap.stop()
  await product.kill()

  const held = [...peaks].map(([name, { held: bytes }]) => ({ name, MB: Math.round((bytes - idle) / 1e6) }))
  held.sort((a, b) => b.MB - a.MB)
  const taken = Math.round(Math.max(...[...peaks.values()].map(({ taken: bytes }) => bytes)) / 1e6)
  for (const { name, MB } of held) console.log(`    ${name}: ${MB} MB`)
  const [most = { name: 'none', MB: 0 }] = held
  noteFigures('heap', [
    { what: 'most that a feed holds at once', figure: `${most.MB} MB, ${most.name}`, bound: `${bounds.feed} MB` },
    { what: 'heap of the isolate at its peak', figure: `${taken} MB`, bound: `${bounds.isolate} MB` },
  ])
  if (most.MB <= bounds.feed && taken <= bounds.isolate) return
  console.error('A feed holds more memory than it may')
  process.exitCode = 1
}

/** Bytes that are reachable after a garbage collection, and all that V8 had allocated before it. */
type HeapPeak = { held: number; taken: number }

/** Watches the heap of the Worker's isolate through its inspector, and which feed's step is running. */
async function watchHeap(url: string, port: number, file: string) {
  const inspector = await openInspector(port)
  const db = new DatabaseSync(file, { readOnly: true })
  const atWork = db.prepare("SELECT id FROM feeds WHERE lease_until IS NOT NULL AND state = 'running'")
  const findAtWork = () => atWork.all().map(({ id }) => String(id))
  const peaks = new Map<string, HeapPeak>()
  const { held: idle } = await lookAtHeap(inspector)
  const over = new AbortController()
  const looking = (async () => {
    for (; !over.signal.aborted; await sleep(300)) {
      const before = findAtWork()
      const { held, taken } = await lookAtHeap(inspector)
      const after = findAtWork()
      const name = before.find((id) => after.includes(id)) ?? after[0] ?? before[0] ?? 'nobody'
      const peak = peaks.get(name)
      peaks.set(name, { held: Math.max(peak?.held ?? 0, held), taken: Math.max(peak?.taken ?? 0, taken) })
    }
  })()
  // A reader makes steps pause now and then; otherwise the inspector would wait until a step is over.
  const reading = (async () => {
    for (; !over.signal.aborted; await sleep(900))
      await fetch(`${url}/api/public/vulns/?limit=1`).catch(() => undefined)
  })()
  return {
    stop: async () => {
      over.abort()
      await Promise.all([looking, reading])
      inspector.close()
      db.close()
      return { idle, peaks }
    },
  }
}

type Usage = { usedSize: number; totalSize: number; backingStorageSize?: number }

const toTaken = ({ totalSize, backingStorageSize = 0 }: Usage) => totalSize + backingStorageSize

/** With its garbage: to collect it each time would stop what is measured beside it. */
export const readTaken = async ({ send }: Inspector) => toTaken(await send<Usage>('Runtime.getHeapUsage'))

/** Collects garbage between two measurements, sent together so that no step runs between them. */
export async function lookAtHeap({ send }: Inspector): Promise<HeapPeak> {
  const [before, , after] = await Promise.all([
    send<Usage>('Runtime.getHeapUsage'),
    send('HeapProfiler.collectGarbage'),
    send<Usage>('Runtime.getHeapUsage'),
  ])
  return {
    held: after.usedSize + (after.backingStorageSize ?? 0),
    taken: toTaken(before),
  }
}

/** The inspector answers only pages of this machine. Node's WebSocket takes headers, which the browser's types do not know. */
const fromHere = { headers: { origin: 'http://localhost' } } as unknown as string[]

export type Inspector = Awaited<ReturnType<typeof openInspector>>

/** Speaks the protocol of V8's inspector with the runtime at `port`. */
export async function openInspector(port: number) {
  const list = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await list.json()) as { webSocketDebuggerUrl: string }[]
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '', fromHere)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  const waiting = new Map<number, (answer: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id = 0, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  let sent = 0
  return {
    send: <Answer>(method: string) =>
      new Promise<Answer>((resolve) => {
        const id = ++sent
        waiting.set(id, (answer) => resolve(answer as Answer))
        socket.send(JSON.stringify({ id, method }))
      }),
    close: () => socket.close(),
  }
}
