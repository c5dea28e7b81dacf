import { ArchiveError } from '../../archives/archive-error'
import { ByteReader } from '../../archives/byte-reader'
import { joinBytes } from '../../archives/join-bytes'
import { unpackStream } from '../../archives/unpack'
import {
  findDirectory,
  findProblem,
  isEncrypted,
  isDeflated,
  isLocalHeader,
  isStored,
  localHeaderBytes,
  localHeaderLength,
  readEntry,
  readLocalHeader,
  tailBytes,
  unpackText,
} from '../../archives/zip-format'
import type { LocalHeader } from '../../archives/zip-format'
import { SourceError } from './source-error'

/** Of an archive inside an archive: no memory holds it whole. */
const maxNestedBytes = 4_000_000_000

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
      if (!header.hasSizes) throw new ArchiveError(`does not say how long ${header.name} is`)
      const { name, crc } = header
      const problem = isWanted(name, index) ? findProblem(header) : null
      if (isWanted(name, index) && !problem) {
        const packed = await reader.take(header.compressed)
        if (!packed) throw new ArchiveError(`is cut off at ${header.name}`)
        yield { name, ...unpackText(header, packed), crc }
      } else {
        if (!(await reader.skip(header.compressed))) throw new ArchiveError(`is cut off at ${header.name}`)
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
  if (!signature) throw new ArchiveError('is cut off: it has no directory')
  if (!isLocalHeader(signature)) return null
  const start = await reader.peek(localHeaderBytes)
  const bytes = start && (await reader.take(localHeaderLength(start)))
  if (!bytes) throw new ArchiveError('is cut off in the middle of a name')
  return readLocalHeader(bytes)
}

/** The first entry alone, unpacked as it arrives. */
export async function openFirst(stream: ReadableStream<Uint8Array>, max_bytes: number) {
  const reader = new ByteReader(stream)
  const header = await nextHeader(reader)
  if (!header) throw new SourceError('The source is no archive')
  return { name: header.name, body: openEntry(reader, header, max_bytes) }
}

const openNested = (outer: ByteReader, header: LocalHeader) =>
  new ByteReader(isStored(header) ? outer.stream() : openEntry(outer, header, maxNestedBytes))

function openEntry(outer: ByteReader, header: LocalHeader, max_bytes: number) {
  if (!isDeflated(header) && !isStored(header))
    throw new ArchiveError(`packs ${header.name} in a way that cannot be read (${header.method})`)
  if (isEncrypted(header)) throw new ArchiveError(`is encrypted at ${header.name}`)
  return unpackStream(toStream(untilDirectory(outer, header.bytes)), {
    packing: isStored(header) ? 'none' : 'deflate-raw',
    max_bytes,
    tooLarge: () => new ArchiveError(`unpacks ${header.name} to more than ${max_bytes} bytes`),
  })
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
  if (!first) throw new ArchiveError('is damaged in its directory')
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
