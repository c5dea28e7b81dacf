/** The lines of a stream of bytes, without their ends. */
export async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += decoder.decode(value, { stream: !done })
      const complete = rest.split('\n')
      rest = done ? '' : (complete.pop() ?? '')
      for (const line of complete) yield line.endsWith('\r') ? line.slice(0, -1) : line
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
