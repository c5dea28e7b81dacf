import { Gunzip } from 'fflate'
import { BadDocument } from './bad-document'

export const maxDocument = 20_000_000

/** Unpacks gzip; never holds a text whole that is too large. */
export async function readText(stream: ReadableStream<Uint8Array>) {
  const pieces: Uint8Array[] = []
  let [size, sent] = [0, 0]
  const keep = (piece: Uint8Array) => {
    size += piece.length
    if (size > maxDocument) throw new BadDocument('', 'The document is larger than 20 MB')
    if (piece.length) pieces.push(piece)
  }
  let write: Write | undefined
  let start = new Uint8Array()
  let problem: BadDocument | undefined
  for await (const piece of stream) {
    sent += piece.length
    if (sent > maxDocument) throw new BadDocument('', 'The document is larger than 20 MB')
    // Who is refused while they send hears of a lost connection alone: the rest is read, and nothing of it is held.
    if (problem) continue
    // The first two bytes tell an archive, and may come apart.
    start = write ? start : joinPieces([start, piece], start.length + piece.length)
    if (start.length < 2) continue
    const bytes = write ? piece : start
    write ??= isGzip(start) ? gunzipInto(keep) : keep
    problem = tryWrite(write, bytes)
  }
  if (problem) throw problem
  if (write) write(new Uint8Array(), true)
  else keep(start)
  return decode(joinPieces(pieces, size))
}

type Write = (piece: Uint8Array, isLast: boolean) => void

function tryWrite(write: Write, piece: Uint8Array) {
  try {
    write(piece, false)
  } catch (error) {
    if (error instanceof BadDocument) return error
    throw error
  }
  return undefined
}

const isGzip = (piece: Uint8Array) => piece[0] === 0x1f && piece[1] === 0x8b

/** So much is unpacked at once: a bomb is noticed after its first piece that is too large. */
const sliceBytes = 4_096

function gunzipInto(keep: (piece: Uint8Array) => void) {
  let isWhole = false
  const gunzip = new Gunzip((piece, isLast) => {
    isWhole ||= isLast
    keep(piece)
  })
  return (piece: Uint8Array, isLast: boolean) => {
    try {
      for (let at = 0; at < piece.length; at += sliceBytes) gunzip.push(piece.subarray(at, at + sliceBytes), false)
      if (isLast) gunzip.push(new Uint8Array(), true)
    } catch (error) {
      if (error instanceof BadDocument) throw error
      throw new BadDocument('', 'The gzip archive is cut off or damaged')
    }
    if (isLast && !isWhole) throw new BadDocument('', 'The gzip archive is cut off or damaged')
  }
}

function joinPieces(pieces: Uint8Array[], size: number) {
  const bytes = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

function decode(bytes: Uint8Array) {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (!isUtf16 && (bytes[0] === 0 || bytes[1] === 0))
    throw new BadDocument('', 'The document looks like UTF-16 without its byte order mark: send it in UTF-8')
  const encoding = isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new BadDocument(`byte ${firstBad(bytes)}`, 'The document is not UTF-8')
  }
}

/** The first byte that is no UTF-8, found by halves. */
function firstBad(bytes: Uint8Array) {
  const decoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    try {
      decoder().decode(bytes.subarray(0, middle), { stream: true })
      good = middle
    } catch {
      bad = middle
    }
  }
  return bad
}
