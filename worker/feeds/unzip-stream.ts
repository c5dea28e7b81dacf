import { Unzip, UnzipInflate } from 'fflate'
import { SourceError } from './fetch-source'

export type ZipFile = { name: string; text: string }

const maxFile = 20_000_000
/** The end of central directory record of a zip (APPNOTE 4.3.16): 22 bytes and a comment. */
const endBytes = 22
const maxComment = 65_535
const endSignature = 0x06054b50

/**
 * The files of a zip as it streams in, of a server that sends it whole and knows no ranges: those whose name fits, as
 * text, in the order of the archive. One that ends early, or is damaged, is a SourceError.
 */
export async function* unzipStream(
  body: ReadableStream<Uint8Array>,
  isWanted: (name: string) => boolean,
): AsyncGenerator<ZipFile> {
  let entries = 0
  let tail: Uint8Array = new Uint8Array()
  const ready: ZipFile[] = []
  const archive = new Unzip((file) => {
    entries++
    if (!isWanted(file.name)) return
    const decoder = new TextDecoder()
    let text = ''
    file.ondata = (error, data, isLast) => {
      if (error) throw error
      text += decoder.decode(data, { stream: !isLast })
      if (text.length > maxFile) throw new SourceError(`${file.name} in the archive is too large`)
      if (isLast) ready.push({ name: file.name, text })
    }
    file.start()
  })
  archive.register(UnzipInflate)

  for await (const piece of body) {
    unpack(() => archive.push(piece))
    tail = lastOf(tail, piece)
    yield* ready.splice(0)
  }
  unpack(() => archive.push(new Uint8Array(), true))
  yield* ready.splice(0)
  if (entriesIn(tail) !== entries % 0x10000) throw damaged()
}

const damaged = () => new SourceError('The archive is cut off or damaged')

function unpack(push: () => void) {
  try {
    push()
  } catch (error) {
    throw error instanceof SourceError ? error : damaged()
  }
}

function lastOf(before: Uint8Array, piece: Uint8Array) {
  const kept = endBytes + maxComment
  const both = new Uint8Array(before.length + piece.length)
  both.set(before)
  both.set(piece, before.length)
  return both.slice(-kept)
}

// How many entries the archive says it has, modulo 65,536; -1 when its end is not there.
function entriesIn(tail: Uint8Array) {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  for (let at = tail.length - endBytes; at >= 0; at--)
    if (view.getUint32(at, true) === endSignature) return view.getUint16(at + 10, true)
  return -1
}
