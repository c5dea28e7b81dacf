export type ByteReader = ReturnType<typeof byteReader>

/** Reads a stream by numbers of bytes. */
export function byteReader(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  let buffer: Uint8Array = new Uint8Array()
  let at = 0

  async function more() {
    const { done, value } = await reader.read()
    if (done) return false
    const rest = buffer.length - at
    if (rest === 0) buffer = value
    else {
      const both = new Uint8Array(rest + value.length)
      both.set(buffer.subarray(at))
      both.set(value, rest)
      buffer = both
    }
    at = 0
    return true
  }

  /** The next bytes, which stay to be read; null when the stream ends before so many. */
  async function peek(count: number) {
    while (buffer.length - at < count) if (!(await more())) return null
    return buffer.subarray(at, at + count)
  }

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
        if (!(await more())) return false
      }
    },
    /** Whatever comes next, in the pieces in which it comes; null at the end. */
    async piece() {
      if (at === buffer.length && !(await more())) return null
      const rest = buffer.subarray(at)
      at = buffer.length
      return rest
    },
    cancel: () => reader.cancel().catch(() => undefined),
  }
}
