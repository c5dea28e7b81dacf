const quote = 0x22
const backslash = 0x5c
const open = [0x7b, 0x5b]
const close = [0x7d, 0x5d]
const comma = 0x2c
const maxEnvelope = 1_000_000

const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false })

/** What went wrong with a document as a whole: cut off, or not JSON. */
export class BrokenJson extends Error {}

/**
 * Splits one large JSON object as it streams in: yields the text of each element of the array `key`, and returns the
 * object itself with that array empty. Only the element at hand is in memory. An element is split off by its brackets,
 * so one that is not JSON inside harms no other; a document that ends too early, or too late, is BrokenJson.
 */
export async function* jsonElements(stream: ReadableStream<Uint8Array>, key: string): AsyncGenerator<string, unknown> {
  const reader = stream.getReader()
  const read = async () => {
    const { done, value } = await reader.read()
    return done ? undefined : value
  }
  try {
    const head = await readHead(read, key)
    let buffer = head.rest
    let start = 0
    const scan = newScan()
    for (;;) {
      const found = nextElement(buffer, start, scan)
      if (found.kind === 'element') {
        yield utf8.decode(buffer.subarray(found.from, found.to))
        start = found.to
        scan.at = found.to
        continue
      }
      if (found.kind === 'end') return parseEnvelope(head.text, await readTail(read, buffer.subarray(found.at)))
      const more = await read()
      if (!more) throw new BrokenJson('The document ends in the middle of its records')
      buffer = join(buffer.subarray(start), more)
      scan.at -= start
      start = 0
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

type Read = () => Promise<Uint8Array | undefined>

async function readHead(read: Read, key: string) {
  const pattern = new RegExp(`"${key}"\\s*:\\s*\\[`)
  let bytes: Uint8Array = new Uint8Array()
  for (;;) {
    const more = await read()
    if (!more) throw new BrokenJson(`The document ends before its "${key}"`)
    bytes = join(bytes, more)
    const text = latin1(bytes.subarray(0, maxEnvelope))
    const match = pattern.exec(text)
    if (match) {
      const end = match.index + match[0].length
      return { text: utf8.decode(bytes.subarray(0, end)), rest: bytes.subarray(end) }
    }
    if (bytes.length > maxEnvelope) throw new BrokenJson(`The document has no "${key}"`)
  }
}

async function readTail(read: Read, first: Uint8Array) {
  let bytes: Uint8Array = first
  for (let more = await read(); more; more = await read()) {
    bytes = join(bytes, more)
    if (bytes.length > maxEnvelope) throw new BrokenJson('The document goes on after its records')
  }
  return utf8.decode(bytes)
}

function parseEnvelope(head: string, tail: string): unknown {
  try {
    return JSON.parse(head + tail)
  } catch {
    throw new BrokenJson('The document is not valid JSON around its records')
  }
}

type Scan = { at: number; depth: number; inString: boolean }
const newScan = (): Scan => ({ at: 0, depth: 0, inString: false })

type Found = { kind: 'element'; from: number; to: number } | { kind: 'end'; at: number } | { kind: 'more' }

// Walks on from scan.at; its place survives the arrival of more bytes, since `from` is always the buffer's start then.
function nextElement(buffer: Uint8Array, start: number, scan: Scan): Found {
  let { at, depth, inString } = scan
  while (at < buffer.length) {
    if (inString) {
      // Most strings are short: a call of indexOf takes longer than to walk through one.
      while (at < buffer.length && buffer[at] !== quote) at++
      if (at === buffer.length) break
      inString = isEscaped(buffer, at)
      at++
      continue
    }
    const byte = buffer[at]
    if (byte === quote) inString = true
    else if (byte === open[0] || byte === open[1]) depth++
    else if (byte === close[0] || byte === close[1]) {
      depth--
      if (depth < 0) return { kind: 'end', at }
      if (depth === 0) {
        Object.assign(scan, { depth: 0, inString: false })
        return { kind: 'element', from: skipSeparators(buffer, start), to: at + 1 }
      }
    }
    at++
  }
  Object.assign(scan, { at, depth, inString })
  return { kind: 'more' }
}

function skipSeparators(buffer: Uint8Array, from: number) {
  let at = from
  while (buffer[at] === comma || (buffer[at] ?? 0) <= 0x20) at++
  return at
}

function isEscaped(buffer: Uint8Array, at: number) {
  let slashes = 0
  while (buffer[at - 1 - slashes] === backslash) slashes++
  return slashes % 2 === 1
}

function join(a: Uint8Array, b: Uint8Array) {
  if (!a.length) return b
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}

const latin1Decoder = new TextDecoder('latin1')
const latin1 = (bytes: Uint8Array) => latin1Decoder.decode(bytes)
