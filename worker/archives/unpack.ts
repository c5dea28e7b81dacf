import { ArchiveError } from './archive-error'

/** So much is inflated at once, and makes 4 MB at most: a bomb is noticed before the next bytes of it are taken. */
const sliceBytes = 4_096
const pieceBytes = 262_144

type Packing = 'gzip' | 'deflate-raw' | 'none'
type Result = { done: boolean; value?: Uint8Array | undefined }
type Reading = {
  packing: Packing
  /** Of what comes out, and of what goes in: packing never doubles anything. */
  max_bytes: number
  tooLarge: () => Error
  /** Ends a read that takes too long. */
  wait?: (read: Promise<Result>) => Promise<Result>
}

export const isGzip = ([first, second]: Uint8Array) => first === 0x1f && second === 0x8b
export const isZip = ([first, second, third, fourth]: Uint8Array) =>
  first === 0x50 && second === 0x4b && third === 3 && fourth === 4

/** The one reader of what is packed: it counts what really comes out, in large pieces, and stops at its limit. */
export function unpackStream(source: ReadableStream<Uint8Array>, reading: Reading) {
  const { packing, max_bytes, tooLarge, wait } = reading
  const { body, stop, failure } = packing === 'none' ? { body: source, ...nothing } : inflate(source, packing, reading)
  const reader = openReader(body, max_bytes)
  let bytes = 0
  // On its way through the runtime an error loses its class.
  const read = (): Promise<Result> =>
    reader.read().catch((error: unknown) => {
      throw inWords(failure() ?? error)
    })
  const end = async () => {
    await Promise.all([reader.cancel(), stop()]).catch(() => undefined)
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await (wait ? wait(read()) : read())
        if (packing === 'gzip' && bytes === 0 && value && isGzip(value))
          throw new ArchiveError('holds another gzip archive: pack it once')
        bytes += value?.byteLength ?? 0
        if (bytes > max_bytes) throw tooLarge()
        if (value?.byteLength) controller.enqueue(value)
        if (done) controller.close()
      } catch (error) {
        await end()
        throw error
      }
    },
    cancel: end,
  })
}

const nothing = { stop: async () => undefined, failure: (): unknown => undefined }

function inflate(source: ReadableStream<Uint8Array>, packing: 'gzip' | 'deflate-raw', reading: Reading) {
  const inflating = new DecompressionStream(packing)
  const reader = source.getReader()
  let failure: unknown
  feed(reader, inflating.writable.getWriter(), reading).catch((error: unknown) => {
    failure = error
  })
  return {
    body: inflating.readable as ReadableStream<Uint8Array>,
    stop: () => reader.cancel(),
    failure: () => failure,
  }
}

async function feed(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>,
  { max_bytes, tooLarge }: Reading,
) {
  try {
    let bytes = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return await writer.close()
      bytes += value.length
      if (bytes > max_bytes + sliceBytes) throw tooLarge()
      for (let at = 0; at < value.length; at += sliceBytes) await writer.write(value.slice(at, at + sliceBytes))
    }
  } catch (error) {
    // The reader learns of the end a turn later, when the failure is known.
    queueMicrotask(() => void writer.abort(error).catch(() => undefined))
    throw error
  }
}

type PieceReader = { readAtLeast: (bytes: number, into: Uint8Array) => Promise<Result>; cancel: () => Promise<void> }
const readsPieces = (reader: object): reader is PieceReader => 'readAtLeast' in reader

// The runtime joins the small pieces of its own streams without our code; others are read as they come.
function openReader(body: ReadableStream<Uint8Array>, max_bytes: number) {
  const reader = findPieceReader(body)
  if (!reader) return body.getReader()
  const size = Math.min(pieceBytes * 2, max_bytes + 1)
  return {
    read: () => reader.readAtLeast(Math.min(pieceBytes, size), new Uint8Array(size)),
    cancel: () => reader.cancel(),
  }
}

function findPieceReader(body: ReadableStream<Uint8Array>) {
  try {
    const reader: { releaseLock: () => void } = body.getReader({ mode: 'byob' })
    if (readsPieces(reader)) return reader
    reader.releaseLock()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  return null
}

function inWords(error: unknown) {
  const text = error instanceof Error ? error.message : ''
  if (/trailing/i.test(text)) return new ArchiveError('goes on after its end: send one archive, and nothing behind it')
  if (/incomplete data|unexpected end/i.test(text)) return new ArchiveError('is cut off before its end')
  if (/decompression failed|incorrect|invalid|compress/i.test(text)) return new ArchiveError('is damaged')
  return error
}

export async function readWhole(stream: ReadableStream<Uint8Array>) {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

export const openBytes = (bytes: Uint8Array) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
