// By its file name: the mirror's Node imports this file as it is.
import { breathe } from '../../db/readers.ts'
import { joinBytes } from '../../archives/join-bytes.ts'

const quote = 0x22
const backslash = 0x5c
const brackets = { open: [0x7b, 0x5b], close: [0x7d, 0x5d] }
const comma = 0x2c
/** The longest document without its records, and the longest record, that fit into memory. */
const maxEnvelope = 1_000_000
const maxElement = 16_000_000

const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: false })

export class BrokenJson extends Error {}

/**
 * Yields the text of each element of the arrays `keys` as it streams in, and returns the object with these arrays empty. Brackets
 * split the elements, so a broken one harms no other; a document that ends too early, or too late, is BrokenJson.
 */
export const jsonElements = (stream: ReadableStream<Uint8Array>, ...keys: [string, ...string[]]) =>
  splitJson(stream, new RegExp(`"(?:${keys.join('|')})"\\s*:\\s*\\[`), `"${keys[0]}"`)

export const jsonMembers = (stream: ReadableStream<Uint8Array>) => splitJson(stream, /^\s*\{/, 'opening brace')

export const jsonItems = (stream: ReadableStream<Uint8Array>) => splitJson(stream, /^\s*\[/, 'opening bracket')

async function* splitJson(
  stream: ReadableStream<Uint8Array>,
  opening: RegExp,
  what: string,
): AsyncGenerator<string, unknown> {
  const reader = stream.getReader()
  const read = async () => {
    const { done, value } = await reader.read()
    return done ? undefined : value
  }
  try {
    let gap = await readGap(read, new Uint8Array(), opening)
    let envelope = gap.text
    if (!gap.after)
      throw new BrokenJson(gap.isWhole ? `The document ends before its ${what}` : `The document has no ${what}`)
    while (gap.after) {
      gap = await readGap(read, yield* elementsIn(read, gap.after), opening)
      envelope += gap.text
    }
    if (!gap.isWhole) throw new BrokenJson('The document goes on after its records')
    return parseEnvelope(envelope)
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

type Read = () => Promise<Uint8Array | undefined>

/** Reads up to the next array: the text with its opening bracket, and the bytes after that, if there is one. */
async function readGap(read: Read, start: Uint8Array, opening: RegExp) {
  let bytes = start
  for (;;) {
    const match = opening.exec(latin1.decode(bytes.subarray(0, maxEnvelope)))
    if (match) {
      const end = match.index + match[0].length
      return { text: utf8.decode(bytes.subarray(0, end)), after: bytes.subarray(end), isWhole: false }
    }
    if (bytes.length > maxEnvelope) return { text: '', after: null, isWhole: false }
    const piece = await read()
    if (!piece) return { text: utf8.decode(bytes), after: null, isWhole: true }
    bytes = joinBytes(bytes, piece)
  }
}

/** Yields the elements up to the end of their array, and returns the bytes from its closing bracket on. */
async function* elementsIn(read: Read, first: Uint8Array): AsyncGenerator<string, Uint8Array> {
  let buffer = first
  let start = 0
  const scan: Scan = { at: 0, depth: 0, inString: false }
  for (;;) {
    const step = nextElement(buffer, start, scan)
    if (step.kind === 'element') {
      await breathe(step.to - step.from)
      yield utf8.decode(buffer.subarray(step.from, step.to))
      start = step.to
      scan.at = step.to
      continue
    }
    if (step.kind === 'end') return buffer.subarray(step.at)
    if (buffer.length - start > maxElement) throw new BrokenJson(`A record is larger than ${maxElement} bytes`)
    const piece = await read()
    if (!piece) throw new BrokenJson('The document ends in the middle of its records')
    buffer = joinBytes(buffer.subarray(start), piece)
    scan.at -= start
    start = 0
  }
}

function parseEnvelope(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BrokenJson('The document is not valid JSON around its records')
  }
}

type Scan = { at: number; depth: number; inString: boolean }
type Step = { kind: 'element'; from: number; to: number } | { kind: 'end'; at: number } | { kind: 'unfinished' }

// Continues at scan.at. That stays valid when more bytes arrive, because `from` is then the start of the buffer.
function nextElement(buffer: Uint8Array, start: number, scan: Scan): Step {
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
    else if (byte === brackets.open[0] || byte === brackets.open[1]) depth++
    else if (byte === brackets.close[0] || byte === brackets.close[1]) {
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
  return { kind: 'unfinished' }
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

const latin1 = new TextDecoder('latin1')
