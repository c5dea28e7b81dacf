export type ByteReader = ReturnType<typeof byteReader>

/** Reads a stream by numbers of bytes. */
export function byteReader(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  let buffer: Uint8Array = new Uint8Array()
  let at = 0

  async function readMore() {
    const { done, value } = await reader.read()
    if (done) return false
    const unread = buffer.length - at
    if (unread === 0) buffer = value
    else {
      const both = new Uint8Array(unread + value.length)
      both.set(buffer.subarray(at))
      both.set(value, unread)
      buffer = both
    }
    at = 0
    return true
  }

  /** The next bytes, which stay to be read; null when the stream ends before so many. */
  async function peek(count: number) {
    while (buffer.length - at < count) if (!(await readMore())) return null
    return buffer.subarray(at, at + count)
  }

  async function readPiece() {
    if (at === buffer.length && !(await readMore())) return null
    const piece = buffer.subarray(at)
    at = buffer.length
    return piece
  }
  const cancel = () => reader.cancel().catch(() => undefined)

  return {
    peek,
    async take(count: number) {
      const bytes = await peek(count)
      if (bytes) at += count
      return bytes
    },
    /** Passes over bytes; false when the stream ends before so many. */
    async skip(count: number) {
      let left = count
      for (;;) {
        const step = Math.min(left, buffer.length - at)
        at += step
        left -= step
        if (left === 0) return true
        if (!(await readMore())) return false
      }
    },
    /** Whatever comes next, in the pieces in which it comes. */
    async *pieces() {
      for (let piece = await readPiece(); piece; piece = await readPiece()) yield piece
    },
    /** The same as a stream. */
    stream: () =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          const piece = await readPiece()
          if (piece) controller.enqueue(piece)
          else controller.close()
        },
        cancel,
      }),
    cancel,
  }
}
