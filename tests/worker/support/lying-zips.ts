import { crc32, deflateRawSync } from 'node:zlib'
import { toZip } from '../../../scripts/mirror/zip-writer'

export const toUtf8 = (text: string) => new TextEncoder().encode(text)
export const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts))
export const spaces = (megabytes: number) => new Uint8Array(megabytes * 1_000_000).fill(32)
type Patch = (view: DataView, entry: number, end: number) => void
/** An archive of two parts whose headers then say something else. */
export function lying(patch: Patch, inputs = [{ name: 'one.xml', data: toUtf8('x'.repeat(5_000)) }]) {
  const bytes = toZip([...inputs, { name: 'two.xml', data: toUtf8('y'.repeat(5_000)) }])
  const view = new DataView(bytes.buffer)
  const end = bytes.length - 22
  patch(view, view.getUint32(end + 16, true), end)
  return bytes
}
export const both = (view: DataView, entry: number, [central, local]: [number, number], value: number) => {
  view.setUint32(entry + central, value, true)
  view.setUint32(local, value, true)
}

/** The plain end record leads to a harmless part, the one of ZIP64 to a bomb. */
export function zip64Bomb() {
  const honest = toZip([{ name: 'a.xml', data: toUtf8('a') }])
  const bomb = toZip([{ name: 'xl/worksheets/sheet1.xml', data: spaces(60) }], { isZip64: true })
  const joined = join(honest.subarray(0, honest.length - 22), bomb)
  const view = new DataView(joined.buffer)
  view.setUint16(joined.length - 12, 1, true)
  return joined
}

export function withDescriptor(change = 0) {
  const bytes = toZip([{ name: 'one.xml', data: toUtf8('x'.repeat(5_000)) }], { hasDescriptors: true })
  const view = new DataView(bytes.buffer)
  const directory = view.getUint32(bytes.length - 6, true)
  view.setUint32(directory - 4, view.getUint32(directory - 4, true) + change, true)
  return bytes
}

/** A part whose deflate never ends: its last block is not marked as the last. */
export function endless() {
  const packed = deflateRawSync(toUtf8('x'.repeat(5_000)), { finishFlush: 2 })
  const bytes = toZip([{ name: 'one.xml', data: packed }], { isStored: true })
  const view = new DataView(bytes.buffer)
  const directory = view.getUint32(bytes.length - 6, true)
  view.setUint16(8, 8, true)
  view.setUint16(directory + 10, 8, true)
  both(view, directory, [16, 14], crc32(toUtf8('x'.repeat(5_000))))
  both(view, directory, [24, 22], 5_000)
  return bytes
}
