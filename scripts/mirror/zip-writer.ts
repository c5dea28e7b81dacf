import { crc32, deflateRawSync } from 'node:zlib'

export type ZipInput = { name: string; data: Uint8Array }
/** `hasDescriptors`: sizes follow the data, as when an archive is written to a stream. */
export type ZipOptions = { isStored?: boolean; hasDescriptors?: boolean; isZip64?: boolean }

type Written = {
  name: Uint8Array
  method: number
  flags: number
  crc: number
  packed: number
  size: number
  offset: number
}

const version = 20
const inUtf8 = 0x08_00
const hasDescriptor = 0x00_08
const firstDay = 0x21
const [all16, all32] = [0xff_ff, 0xff_ff_ff_ff]

/** An archive piece by piece (PKWARE APPNOTE 6.3.9); one of more than 65,535 entries is Zip64. */
export function* zipPieces(inputs: Iterable<ZipInput>, options: ZipOptions = {}): Generator<Uint8Array> {
  const written: Written[] = []
  let offset = 0
  for (const { name, data } of inputs) {
    const body = options.isStored ? data : deflateRawSync(data, { level: 1 })
    const entry = {
      name: new TextEncoder().encode(name),
      method: options.isStored ? 0 : 8,
      flags: inUtf8 | (options.hasDescriptors ? hasDescriptor : 0),
      crc: crc32(data),
      packed: body.length,
      size: data.length,
      offset,
    }
    written.push(entry)
    for (const piece of [localHeader(entry), body, descriptor(entry)]) {
      offset += piece.length
      if (piece.length) yield piece
    }
  }
  const isZip64 = options.isZip64 ?? written.length >= all16
  const directory = Buffer.concat(written.map((entry) => directoryEntry(entry, isZip64)))
  yield directory
  yield endRecord({ entries: written.length, size: directory.length, offset }, isZip64)
}

/** An archive with one uncompressed entry, whose size is known only at the end. */
export function* zipAround(name: string, pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  const flags = inUtf8 | hasDescriptor
  const entry = { name: new TextEncoder().encode(name), method: 0, flags, crc: 0, packed: 0, size: 0, offset: 0 }
  const header = localHeader(entry)
  yield header
  for (const piece of pieces) {
    entry.crc = crc32(piece, entry.crc)
    entry.size += piece.length
    yield piece
  }
  entry.packed = entry.size
  const [end, directory] = [descriptor(entry), directoryEntry(entry, false)]
  yield end
  yield directory
  yield endRecord({ entries: 1, size: directory.length, offset: header.length + entry.size + end.length }, false)
}

export const toZip = (inputs: Iterable<ZipInput>, options?: ZipOptions): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat([...zipPieces(inputs, options)]))

// Little-endian numbers of [bytes, value].
function fields(...numbers: [2 | 4 | 8, number][]) {
  const view = new DataView(new ArrayBuffer(numbers.reduce((sum, [bytes]) => sum + bytes, 0)))
  let at = 0
  for (const [bytes, value] of numbers) {
    if (bytes === 2) view.setUint16(at, value, true)
    else if (bytes === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

function localHeader({ name, method, flags, crc, packed, size }: Written) {
  const isLate = (flags & hasDescriptor) !== 0
  const sizes = isLate ? [0, 0, 0] : [crc, packed, size]
  const start = fields([4, 0x04034b50], [2, version], [2, flags], [2, method], [2, 0], [2, firstDay])
  return Buffer.concat([start, ...sizes.map((value) => fields([4, value])), fields([2, name.length], [2, 0]), name])
}

const descriptor = ({ flags, crc, packed, size }: Written) =>
  flags & hasDescriptor ? fields([4, 0x08074b50], [4, crc], [4, packed], [4, size]) : new Uint8Array()

function directoryEntry({ name, method, flags, crc, packed, size, offset }: Written, isZip64: boolean) {
  const extra = isZip64 ? fields([2, 1], [2, 24], [8, size], [8, packed], [8, offset]) : new Uint8Array()
  const start = fields([4, 0x02014b50], [2, version], [2, version], [2, flags], [2, method], [2, 0], [2, firstDay])
  const sizes = fields([4, crc], [4, isZip64 ? all32 : packed], [4, isZip64 ? all32 : size])
  const places = fields(
    [2, name.length],
    [2, extra.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, isZip64 ? all32 : offset],
  )
  return Buffer.concat([start, sizes, places, name, extra])
}

function endRecord({ entries, size, offset }: { entries: number; size: number; offset: number }, isZip64: boolean) {
  const [count, bytes, place] = isZip64 ? [all16, all32, all32] : [entries, size, offset]
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, bytes], [4, place], [2, 0])
  if (!isZip64) return end
  const record = fields([4, 0x06064b50], [8, 44], [2, version], [2, version], [4, 0], [4, 0])
  const totals = fields([8, entries], [8, entries], [8, size], [8, offset])
  const locator = fields([4, 0x07064b50], [4, 0], [8, offset + size], [4, 1])
  return Buffer.concat([record, totals, locator, end])
}
