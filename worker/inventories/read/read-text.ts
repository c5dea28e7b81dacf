import { ArchiveError } from '../../archives/archive-error'
import { ByteReader } from '../../archives/byte-reader'
import { isGzip, isZip, readWhole, unpackStream } from '../../archives/unpack'
import { unlessLate } from '../../db/readers'
import { Failure } from '../../http/errors'
import { BadDocument } from './bad-document'

export const maxDocument = 20_000_000

/** Its place among those of the organization counts a little longer (`http/throttle`). */
const longest_ms = 300_000

const tooLarge = () => new BadDocument('', 'The document is larger than 20 MB')

/** The sender is told of what is wrong with the document. */
export async function readSentDocument<Read>(
  file: ReadableStream<Uint8Array> | null,
  read: (text: string) => Read | Promise<Read>,
) {
  if (!file) throw new Failure(400, 'invalid_document', 'The request has no body: send the document itself')
  try {
    return await read(await readText(file))
  } catch (error) {
    if (!(error instanceof BadDocument)) throw error
    throw new Failure(400, 'invalid_document', error.message, {
      issues: [{ path: error.place ? [error.place] : [], message: error.reason }],
    })
  }
}

/** Unpacks gzip; never holds a text whole that is too large. */
export async function readText(stream: ReadableStream<Uint8Array>) {
  const sent = new ByteReader(toItsEnd(stream))
  try {
    const start = (await sent.peek(4)) ?? (await sent.peek(2)) ?? new Uint8Array()
    if (isZip(start))
      throw new BadDocument('', 'The document is a ZIP archive: send the file inside it, perhaps packed by gzip')
    const packing = isGzip(start) ? 'gzip' : 'none'
    return decode(await readWhole(unpackStream(sent.stream(), { packing, max_bytes: maxDocument, tooLarge })))
  } catch (error) {
    await sent.cancel()
    throw error instanceof ArchiveError ? new BadDocument('', `The gzip archive ${error.problem}`) : error
  }
}

/** A client refused while it sends hears of a lost connection alone: the rest is read, and nothing of it is held. */
function toItsEnd(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader()
  const until_ms = Date.now() + longest_ms
  let sent = 0
  const next = async () => {
    const read = await unlessLate(reader.read(), until_ms - Date.now())
    if (!read) {
      reader.cancel().catch(() => undefined)
      throw new BadDocument('', 'The document took longer than five minutes to arrive: pack it by gzip')
    }
    const { done, value } = read
    sent += value?.length ?? 0
    if (sent <= maxDocument) return done ? null : value
    await reader.cancel()
    throw tooLarge()
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await next()
      if (piece) controller.enqueue(piece)
      else controller.close()
    },
    async cancel() {
      for (let isMore = true; isMore;) isMore = (await next()) !== null
    },
  })
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
