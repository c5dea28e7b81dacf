import { crc32, inflateRawSync } from 'node:zlib'
import { ArchiveError } from './archive-error'

export const signatures = {
  local: 0x04034b50,
  entry: 0x02014b50,
  end: 0x06054b50,
  zip64Locator: 0x07064b50,
  zip64End: 0x06064b50,
} as const
export const endBytes = 22
const locatorBytes = 20
const zip64EndBytes = 56
export const entryBytes = 46
export const localHeaderBytes = 30
export const tailBytes = endBytes + 0xff_ff + locatorBytes + zip64EndBytes

const stored = 0
const deflated = 8
/** General purpose bits. APPNOTE 4.4.4. */
export const hasDescriptor = 8
export const isEncrypted = ({ flags }: { flags: number }) => (flags & 0x20_41) !== 0
/** We do not unpack larger entries: they would not fit into memory together with what we make of them. */
const maxUnpackedBytes = 16_000_000
export const inZip64 = 0xff_ff_ff_ff

export type ZipDirectory = { offset: number; size: number; entries: number }
export type Packed = { name: string; method: number; flags: number; crc: number; compressed: number; size: number }
export type ZipEntry = Packed & { offset: number }
export type LocalHeader = Packed & { hasSizes: boolean; bytes: number }

const utf8 = new TextDecoder()
export const toView = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** `tail` are the archive's last bytes, from `tailOffset` on. APPNOTE 4.3.14-4.3.16. */
export function findDirectory(tail: Uint8Array, tailOffset: number): ZipDirectory {
  const { at, ...plain } = findEnd(tail)
  return zip64Directory(toView(tail), at - locatorBytes, tailOffset) ?? plain
}

/** The last record, which ends with the archive. */
export function findEnd(tail: Uint8Array): ZipDirectory & { at: number } {
  const view = toView(tail)
  let isFollowed = false
  for (let at = tail.length - endBytes; at >= Math.max(0, tail.length - tailBytes); at--) {
    if (view.getUint32(at, true) !== signatures.end) continue
    const [entries, size, offset] = [
      view.getUint16(at + 10, true),
      view.getUint32(at + 12, true),
      view.getUint32(at + 16, true),
    ]
    if (at + endBytes + view.getUint16(at + 20, true) === tail.length) return { at, entries, size, offset }
    // The end of an archive within one that is cut off fits no beginning here.
    isFollowed ||= offset + size === at
  }
  throw new ArchiveError(isFollowed ? 'goes on after its end' : 'is cut off: it has no directory')
}

export function isZip64(bytes: Uint8Array, { at, entries, size, offset }: ReturnType<typeof findEnd>) {
  const hasLocator = at >= locatorBytes && toView(bytes).getUint32(at - locatorBytes, true) === signatures.zip64Locator
  return hasLocator || entries === 0xff_ff || size === inZip64 || offset === inZip64
}

function zip64Directory(view: DataView, locator: number, tailOffset: number): ZipDirectory | undefined {
  if (locator < 0 || view.getUint32(locator, true) !== signatures.zip64Locator) return undefined
  const at = bigAt(view, locator + 8) - tailOffset
  if (at < 0 || at + zip64EndBytes > view.byteLength || view.getUint32(at, true) !== signatures.zip64End)
    throw new ArchiveError('is damaged: its Zip64 record is not where it should be')
  return { entries: bigAt(view, at + 32), size: bigAt(view, at + 40), offset: bigAt(view, at + 48) }
}

const bigAt = (view: DataView, at: number) => Number(view.getBigUint64(at, true))

/** `next` is where the next entry begins; null when the bytes end too early. APPNOTE 4.3.12. */
export function readEntry(bytes: Uint8Array, at: number): { entry: ZipEntry; next: number } | null {
  if (at < 0) throw new ArchiveError('is damaged in its directory')
  if (at + entryBytes > bytes.length) return null
  const view = toView(bytes)
  if (view.getUint32(at, true) !== signatures.entry) throw new ArchiveError('is damaged in its directory')
  const nameEnd = at + entryBytes + view.getUint16(at + 28, true)
  const extraEnd = nameEnd + view.getUint16(at + 30, true)
  const next = extraEnd + view.getUint16(at + 32, true)
  if (next > bytes.length) return null

  const plain = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)]
  const [size = 0, compressed = 0, offset = 0] = withZip64(view, { from: nameEnd, to: extraEnd }, plain)
  const name = utf8.decode(bytes.subarray(at + entryBytes, nameEnd))
  const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)]
  return { entry: { name, method, flags, crc: view.getUint32(at + 16, true), compressed, size, offset }, next }
}

/** Null where no entry begins, because the directory follows. APPNOTE 4.3.7. */
export function readLocalHeader(bytes: Uint8Array, at = 0): LocalHeader | null {
  const view = toView(bytes)
  if (at + localHeaderBytes > bytes.length || view.getUint32(at, true) !== signatures.local) return null
  const nameEnd = at + localHeaderBytes + view.getUint16(at + 26, true)
  const end = nameEnd + view.getUint16(at + 28, true)
  if (end > bytes.length) throw new ArchiveError('is cut off in the middle of a name')
  const plain = [view.getUint32(at + 22, true), view.getUint32(at + 18, true)]
  const [size = 0, compressed = 0] = withZip64(view, { from: nameEnd, to: end }, plain)
  const flags = view.getUint16(at + 6, true)
  return {
    name: utf8.decode(bytes.subarray(at + localHeaderBytes, nameEnd)),
    method: view.getUint16(at + 8, true),
    crc: view.getUint32(at + 14, true),
    flags,
    compressed,
    size,
    hasSizes: (flags & hasDescriptor) === 0 || compressed > 0,
    bytes: end - at,
  }
}

export const isLocalHeader = (start: Uint8Array) =>
  start.length >= 4 && toView(start).getUint32(0, true) === signatures.local

export function localHeaderLength(start: Uint8Array) {
  const view = toView(start)
  return localHeaderBytes + view.getUint16(26, true) + view.getUint16(28, true)
}

// A number that does not fit is all ones, and stands in the extra field 1 instead, in this order. APPNOTE 4.5.3.
function withZip64(view: DataView, { from, to }: { from: number; to: number }, plain: number[]) {
  if (!plain.includes(inZip64)) return plain
  for (let at = from; at + 4 <= to; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue
    let field = at + 4
    return plain.map((value) => {
      if (value !== inZip64 || field + 8 > to) return value
      field += 8
      return bigAt(view, field - 8)
    })
  }
  return plain
}

export const findProblem = ({ compressed }: Packed) =>
  compressed > maxUnpackedBytes ? `larger than ${maxUnpackedBytes} bytes` : null

export const isStored = ({ method }: { method: number }) => method === stored
export const isDeflated = ({ method }: { method: number }) => method === deflated

/** The text, or the reason why it is unreadable; throws if the archive is damaged. In one go, as an archive has 300,000 of them. */
export function unpackText(entry: Packed, packed: Uint8Array) {
  const { name, method, crc, size } = entry
  if (isEncrypted(entry)) throw new ArchiveError(`is encrypted at ${name}`)
  if (method !== stored && method !== deflated)
    throw new ArchiveError(`packs ${name} in a way that cannot be read (${method})`)
  const bytes = method === stored ? packed : inflate(name, packed)
  if (!bytes) return { text: null, problem: `larger than ${maxUnpackedBytes} bytes` }
  if (bytes.length !== size) throw new ArchiveError(`is damaged at ${name} (its size differs from what it holds)`)
  if (crc32(bytes) !== crc) throw new ArchiveError(`is damaged at ${name} (its checksum differs)`)
  return { text: utf8.decode(bytes), problem: null }
}

function inflate(name: string, packed: Uint8Array) {
  try {
    const { buffer, engine } = inflateWithInfo(packed)
    if (engine.bytesWritten === packed.length) return buffer
  } catch (cause) {
    if (cause instanceof RangeError) return null
    throw new ArchiveError(`is damaged at ${name} (${cause instanceof Error ? cause.message : 'unreadable'})`)
  }
  throw new ArchiveError(`is damaged at ${name} (something follows its end)`)
}

// The types know nothing of `info`, which also gives the engine, and with it how much was read.
const inflateWithInfo = (packed: Uint8Array) =>
  inflateRawSync(packed, { maxOutputLength: maxUnpackedBytes, info: true }) as unknown as {
    buffer: Uint8Array
    engine: { bytesWritten: number }
  }
