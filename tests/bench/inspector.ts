import { setTimeout as sleep } from 'node:timers/promises'

/** V8 takes what it may have before it collects garbage, and ends an isolate that needs more. */
export const limitMemory = (MB: number) => ({ MINIFLARE_WORKERD_V8_FLAGS: `--max-heap-size=${MB}` })

type Usage = { totalSize: number; backingStorageSize?: number }

const toTaken = ({ totalSize, backingStorageSize = 0 }: Usage) => totalSize + backingStorageSize

/** With its garbage: to collect it each time would stop what is measured beside it. */
const readTaken = async ({ send }: Inspector) => toTaken(await send<Usage>('Runtime.getHeapUsage'))

/** The inspector answers only pages of this machine. Node's WebSocket takes headers, which the browser's types do not know. */
const fromHere = { headers: { origin: 'http://localhost' } } as unknown as string[]

type Inspector = Awaited<ReturnType<typeof openInspector>>

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

/** The most that V8 has allocated until it is stopped. */
export function watchPeak(inspector: Inspector) {
  const over = new AbortController()
  let peak = 0
  const watching = (async () => {
    for (; !over.signal.aborted; await sleep(100)) peak = Math.max(peak, await readTaken(inspector))
  })()
  return {
    stop: async () => {
      over.abort()
      await watching
      return peak
    },
  }
}
