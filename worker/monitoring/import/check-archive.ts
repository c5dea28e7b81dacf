import { inflateRawSync } from 'node:zlib'
import { refuse } from './refuse'

const maxEntries = 500
const maxUnpacked = 15_000_000

const signatures = { end: 0x06054b50, entry: 0x02014b50, local: 0x04034b50 }
const recordBytes = { end: 22, entry: 46, local: 30 }
const deflated = 8

/** Refuses too many entries or too much content. It unpacks to measure, because whoever writes a bomb writes its directory, too. */
export function checkArchive(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  const count = view.getUint16(end + 10, true)
  if (count > maxEntries) throw refuse(`The spreadsheet has more than ${maxEntries} parts`)
  let [at, left] = [view.getUint32(end + 16, true), maxUnpacked]
  for (let entry = 0; entry < count; entry++) {
    const header = readEntry(view, at)
    left -= measure(bytes, view, header, left)
    at = header.next
  }
}

const damaged = () => refuse('The spreadsheet is damaged')
const tooLarge = () => refuse(`The spreadsheet unpacks to more than ${maxUnpacked / 1_000_000} MB`)

function findEnd(view: DataView) {
  for (let at = view.byteLength - recordBytes.end; at >= 0 && at > view.byteLength - 66_000; at--)
    if (view.getUint32(at, true) === signatures.end) return at
  throw damaged()
}

type Entry = { method: number; packed: number; unpacked: number; offset: number; next: number }

function readEntry(view: DataView, at: number): Entry {
  if (at + recordBytes.entry > view.byteLength || view.getUint32(at, true) !== signatures.entry) throw damaged()
  const names = [28, 30, 32].map((place) => view.getUint16(at + place, true))
  return {
    method: view.getUint16(at + 10, true),
    packed: view.getUint32(at + 20, true),
    unpacked: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
    next: at + recordBytes.entry + names.reduce((sum, size) => sum + size, 0),
  }
}

function measure(bytes: Uint8Array, view: DataView, { method, packed, unpacked, offset }: Entry, left: number) {
  if (unpacked > left) throw tooLarge()
  if (offset + recordBytes.local > bytes.length || view.getUint32(offset, true) !== signatures.local) throw damaged()
  const start = offset + recordBytes.local + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true)
  const data = bytes.subarray(start, start + packed)
  if (data.length < packed) throw damaged()
  if (method !== deflated) return data.length
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(left, 1) }).length
  } catch (error) {
    const isOver = error instanceof RangeError || (error instanceof Error && /larger than|buffer/i.test(error.message))
    throw isOver ? tooLarge() : damaged()
  }
}
