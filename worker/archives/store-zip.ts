import type { ZipPart } from './read-zip'
import { entryBytes, localHeaderBytes, endBytes, signatures } from './zip-format'

const version = 20
const inUtf8 = 0x08_00

/** An archive of the parts as they were checked, not packed, so that its reader inflates nothing. One part is held beside it at a time. */
export async function storeZip(parts: ZipPart[]) {
  const named = parts.map((part) => ({ ...part, label: new TextEncoder().encode(part.name) }))
  const total = named.reduce((sum, { label, size }) => sum + localHeaderBytes + entryBytes + 2 * label.length + size, 0)
  const bytes = new Uint8Array(total + endBytes)
  const view = new DataView(bytes.buffer)
  let at = 0
  const put = (width: 2 | 4, ...values: number[]) => {
    for (const value of values) {
      if (width === 2) view.setUint16(at, value, true)
      else view.setUint32(at, value, true)
      at += width
    }
  }
  const putBytes = (some: Uint8Array) => {
    bytes.set(some, at)
    at += some.length
  }
  const offsets: number[] = []
  for (const { label, size, crc, read } of named) {
    offsets.push(at)
    put(4, signatures.local)
    put(2, version, inUtf8, 0, 0, 0)
    put(4, crc, size, size)
    put(2, label.length, 0)
    putBytes(label)
    putBytes(await read())
  }
  const directory = at
  for (const [index, { label, size, crc }] of named.entries()) {
    put(4, signatures.entry)
    put(2, version, version, inUtf8, 0, 0, 0)
    put(4, crc, size, size)
    put(2, label.length, 0, 0, 0, 0)
    put(4, 0, offsets[index] ?? 0)
    putBytes(label)
  }
  const size = at - directory
  put(4, signatures.end)
  put(2, 0, 0, named.length, named.length)
  put(4, size, directory)
  put(2, 0)
  return bytes
}
