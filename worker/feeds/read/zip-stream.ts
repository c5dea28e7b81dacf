import { ByteReader } from './byte-reader'
import { joinBytes } from './join-bytes'
import { SourceError } from './source-error'
import {
  findDirectory,
  findProblem,
  isDeflated,
  isLocalHeader,
  isStored,
  localHeaderBytes,
  localHeaderLength,
  readEntry,
  readLocalHeader,
  tailBytes,
  unpackText,
} from './zip-format'
import type { LocalHeader } from './zip-format'

type StreamedEntry = { name: string; text: string | null; problem: string | null; crc: number }

/** `text` is null for unwanted entries; an archive that holds only an archive yields the inner one. Holds one entry in memory at a time. */
export async function* streamedEntries(
  stream: ReadableStream<Uint8Array>,
  isWanted: (name: string, index: number) => boolean,
): AsyncGenerator<StreamedEntry> {
  const outer = new ByteReader(stream)
  let reader: ByteReader = outer
  try {
    let header = await nextHeader(outer)
    if (!header) throw new SourceError('The source is no archive')
    if (/\.zip$/i.test(header.name)) {
      reader = openNested(outer, header)
      header = await nextHeader(reader)
    }
    for (let index = 0; header; index++) {
      if (!header.hasSizes) throw new SourceError(`The archive does not say how long ${header.name} is`)
      const { name, crc } = header
      const problem = isWanted(name, index) ? findProblem(header) : null
      if (isWanted(name, index) && !problem) {
        const packed = await reader.take(header.compressed)
        if (!packed) throw new SourceError(`The archive is cut off at ${header.name}`)
        yield { name, ...unpackText(header, packed), crc }
      } else {
        if (!(await reader.skip(header.compressed))) throw new SourceError(`The archive is cut off at ${header.name}`)
        yield { name, text: null, problem, crc }
      }
      header = await nextHeader(reader)
    }
  } finally {
    if (reader !== outer) await reader.cancel()
    await outer.cancel()
  }
}

/** Null when the directory begins. An archive without a directory was cut off. */
async function nextHeader(reader: ByteReader): Promise<LocalHeader | null> {
  const signature = await reader.peek(4)
  if (!signature) throw new SourceError('The archive is cut off: it has no directory')
  if (!isLocalHeader(signature)) return null
  const start = await reader.peek(localHeaderBytes)
  const bytes = start && (await reader.take(localHeaderLength(start)))
  if (!bytes) throw new SourceError('The archive is cut off in the middle of a name')
  return readLocalHeader(bytes)
}

function openNested(outer: ByteReader, header: LocalHeader) {
  if (isStored(header)) return new ByteReader(outer.stream())
  if (!isDeflated(header)) throw new SourceError(`The archive packs ${header.name} in a way that cannot be read`)
  const packed = toStream(untilDirectory(outer, header.bytes))
  return new ByteReader(packed.pipeThrough(new DecompressionStream('deflate-raw')))
}

// An entry without sizes ends where the directory begins, so we hold the last bytes back until we see it.
async function* untilDirectory(reader: ByteReader, before: number) {
  let held: Uint8Array = new Uint8Array()
  let total = before
  for await (const piece of reader.pieces()) {
    total += piece.length
    held = joinBytes(held, piece)
    if (held.length <= 2 * tailBytes) continue
    yield held.slice(0, held.length - tailBytes)
    held = held.slice(held.length - tailBytes)
  }
  const start = total - held.length
  const directory = findDirectory(held, start)
  const first = readEntry(held, directory.offset - start)
  if (!first) throw new SourceError('The directory of the archive is damaged')
  yield held.slice(0, Math.max(0, before + first.entry.compressed - start))
}

function toStream(pieces: AsyncGenerator<Uint8Array>) {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
}
