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
