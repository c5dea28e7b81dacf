import { crc32 } from 'node:zlib'
import { ArchiveError } from './archive-error'
import { isGzip, isZip, readWhole, openBytes, unpackStream } from './unpack'
import {
  findEnd,
  hasDescriptor,
  inZip64,
  isDeflated,
  isEncrypted,
  isStored,
  isZip64,
  readEntry,
  readLocalHeader,
  toView,
} from './zip-format'
import type { ZipEntry } from './zip-format'

type Limits = { max_entries: number; max_bytes: number }
type Placed = ZipEntry & { start: number; end: number }
export type ZipPart = { name: string; size: number; crc: number; read: () => Promise<Uint8Array> }

/** The parts of an archive that somebody sent. An ambiguous archive is refused, so that every later reader reads the same. */
export function listZipParts(bytes: Uint8Array, limits: Limits): ZipPart[] {
  const entries = listEntries(bytes, limits)
  requireApart(entries)
  return entries.map((entry) => ({ ...entry, read: () => readPart(bytes, entry) }))
}

function listEntries(bytes: Uint8Array, { max_entries, max_bytes }: Limits) {
  const end = findEnd(bytes)
  if (isZip64(bytes, end)) throw zip64()
  if (end.entries > max_entries) throw new ArchiveError(`has more than ${max_entries} parts`)
  const entries = new Map<string, Placed>()
  let [at, left] = [end.offset, max_bytes]
  for (let index = 0; index < end.entries; index++) {
    const found = readEntry(bytes, at)
    if (!found || found.next > end.at) throw new ArchiveError('has fewer parts than its directory says')
    const { entry, next } = found
    if (entries.has(entry.name)) throw new ArchiveError(`holds ${entry.name} twice`)
    entries.set(entry.name, placeEntry(bytes, entry, end.offset))
    left -= entry.size
    if (left < 0) throw new ArchiveError(`unpacks to more than ${max_bytes / 1_000_000} MB`)
    at = next
  }
  if (at !== end.at) throw new ArchiveError('has other parts than its directory says')
  return [...entries.values()]
}

const zip64 = () => new ArchiveError('is a ZIP64 archive, which only files above 4 GB need: save it anew')
const differs = (name: string) => new ArchiveError(`says two things about ${name}: save it anew`)

function placeEntry(bytes: Uint8Array, entry: ZipEntry, directory: number): Placed {
  const { name, compressed, size, offset } = entry
  if ([compressed, size, offset].some((value) => value >= inZip64)) throw zip64()
  if (isEncrypted(entry)) throw new ArchiveError(`is encrypted at ${name}: save it without a password`)
  if (!isStored(entry) && !isDeflated(entry))
    throw new ArchiveError(`packs ${name} in a way that is not read (method ${entry.method}): save it anew`)
  const local = readLocalHeader(bytes, offset)
  if (!local) throw new ArchiveError(`is damaged: ${name} is not where its directory says`)
  const start = offset + local.bytes
  const end = start + compressed
  if (end > directory) throw new ArchiveError(`is cut off at ${name}`)
  const isLate = (entry.flags & hasDescriptor) !== 0
  const isSame = local.name === name && local.method === entry.method && local.flags === entry.flags
  const told = [local.crc, local.compressed, local.size]
  const isTold = [entry.crc, compressed, size].every((value, field) => told[field] === value)
  if (!isSame || !(isTold || (isLate && told.every((value) => value === 0)))) throw differs(name)
  return { ...entry, start, end: isLate ? end + measureDescriptor(bytes, end, entry) : end }
}

const descriptorSignature = 0x08074b50

/** With or without its signature. APPNOTE 4.3.9. */
function measureDescriptor(bytes: Uint8Array, at: number, { name, crc, compressed, size }: ZipEntry) {
  if (at + 16 > bytes.length) throw differs(name)
  const view = toView(bytes)
  const from = view.getUint32(at, true) === descriptorSignature ? at + 4 : at
  if ([crc, compressed, size].some((value, field) => view.getUint32(from + field * 4, true) !== value))
    throw differs(name)
  return from + 12 - at
}

function requireApart(entries: Placed[]) {
  let end = 0
  for (const { name, offset, end: next } of entries.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < end) throw new ArchiveError(`holds ${name} where another part is: save it anew`)
    end = next
  }
}

async function readPart(bytes: Uint8Array, entry: Placed) {
  const { name, size, crc, start, compressed } = entry
  const packed = bytes.subarray(start, start + compressed)
  const data = isStored(entry) ? packed : await inflatePart(packed, name, size)
  if (data.length !== size) throw new ArchiveError(`holds ${data.length} bytes at ${name} and says ${size}`)
  if (isZip(data) || isGzip(data)) throw new ArchiveError(`holds another archive, ${name}: leave it out`)
  if (crc32(data) !== crc) throw new ArchiveError(`is damaged at ${name}: its checksum differs`)
  return data
}

async function inflatePart(packed: Uint8Array, name: string, size: number) {
  const tooLarge = () => new ArchiveError(`holds more at ${name} than the ${size} bytes that it says`)
  try {
    return await readWhole(unpackStream(openBytes(packed), { packing: 'deflate-raw', max_bytes: size, tooLarge }))
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.problem.includes(name)) throw error
    throw new ArchiveError(`${error.problem}, at ${name}`)
  }
}
