import { breathe } from '../../db/readers'
import { openSource, readVersion } from './fetch-source'
import { SourceError } from './source-error'
import {
  findDirectory,
  findProblem,
  isStored,
  localHeaderBytes,
  readEntry,
  readLocalHeader,
  tailBytes,
  unpackText,
} from '../../archives/zip-format'
import type { ZipDirectory, ZipEntry } from '../../archives/zip-format'
import { streamedEntries } from './zip-stream'

const maxZipBytes = 4_000_000_000
const headBytes = 65_536
const directoryPieceBytes = 1_048_576
const groupEntries = 500
const groupBytes = 8_388_608
/** A local header may be longer than the directory's entry. */
const headerSlackBytes = 1_024

export type ZipPlace = { entries: number; byte: number }
export const zipStart: ZipPlace = { entries: 0, byte: 0 }

type Part = { url: string; version: string }
type RangedZip = Part & { kind: 'ranges'; start: number; directory: ZipDirectory }
/** Read by ranges if server and packing allow it, else streamed. */
export type RemoteZip = RangedZip | (Part & { kind: 'stream' })

export async function openRemoteZip(url: string): Promise<RemoteZip | null> {
  const source = await openSource(url, { max_bytes: maxZipBytes, headers: { range: `bytes=0-${headBytes - 1}` } })
  if (!source) return null
  const part = { url, version: readVersion(source.headers) }
  const size = parseSize(source.headers)
  if (size === null) {
    await source.body.cancel()
    return { kind: 'stream', ...part }
  }
  const first = readLocalHeader(await readBytes(source.body))
  const isNested = first !== null && /\.zip$/i.test(first.name)
  if (isNested && !isStored(first)) return { kind: 'stream', ...part }
  const directory = await readDirectory(part, 0, size)
  if (!isNested) return { kind: 'ranges', ...part, start: 0, directory }

  const bytes = await fetchRange(part, directory.offset, directory.offset + directory.size)
  const nested = readEntry(bytes, 0)?.entry
  if (!nested) throw new SourceError('The directory of the archive is damaged')
  const start = nested.offset + first.bytes
  return { kind: 'ranges', ...part, start, directory: await readDirectory(part, start, nested.compressed) }
}

/** `isKnown`: the mark shows that we have this text, so we need not fetch it. */
export type Choice = { isWanted(name: string): boolean; isKnown?(name: string, mark: string): boolean }
/** `text` is null if it is known, or if a problem prevents reading it. */
type ZipText = { name: string; mark: string; text: string | null; problem: string | null; place: ZipPlace }

export async function* zipTexts(zip: RemoteZip, from: ZipPlace, choice: Choice): AsyncGenerator<ZipText> {
  if (zip.kind === 'ranges') return yield* rangedTexts(zip, from, choice)
  let entries = 0
  for await (const { name, text, problem, crc } of streamedEntries(
    await openBody(zip),
    (one, index) => index >= from.entries && choice.isWanted(one),
  )) {
    entries++
    await breathe(text?.length ?? 0)
    if (text !== null || problem) yield { name, mark: formatMark(crc), text, problem, place: { entries, byte: 0 } }
  }
}

export async function* zipMarks(zip: RemoteZip): AsyncGenerator<[name: string, mark: string]> {
  if (zip.kind !== 'ranges') return
  for await (const { entry } of directoryEntries(zip, zipStart)) yield [entry.name, formatMark(entry.crc)]
}

const formatMark = (crc: number) => crc.toString(36)

export async function* zipNames(zip: RemoteZip): AsyncGenerator<string> {
  if (zip.kind === 'ranges') for await (const { entry } of directoryEntries(zip, zipStart)) yield entry.name
  else for await (const { name } of streamedEntries(await openBody(zip), () => false)) yield name
}

type Placed = { entry: ZipEntry; place: ZipPlace }

/** While a group is read, the next one is on its way: a publisher far away takes longer to answer than we to read. */
async function* rangedTexts(zip: RangedZip, from: ZipPlace, choice: Choice) {
  let before: Group | null = null
  let bytes = Promise.resolve(new Uint8Array())
  for await (const group of chooseGroups(zip, from, choice)) {
    const next = fetchGroup(zip, group)
    // Its reader gets the error; a step may end before.
    next.catch(() => undefined)
    if (before) yield* readGroup(before, await bytes)
    ;[before, bytes] = [group, next]
  }
  if (before) yield* readGroup(before, await bytes)
}

type Chosen = Placed & { mark: string; problem: string | null; isPassed: boolean }
/** Entries beside each other, and where their bytes stand; `low` is behind `high` if none is to be read. */
type Group = { entries: Chosen[]; low: number; high: number }

const emptyGroup = (): Group => ({ entries: [], low: Infinity, high: 0 })

async function* chooseGroups(zip: RangedZip, from: ZipPlace, { isWanted, isKnown = () => false }: Choice) {
  let group = emptyGroup()
  for await (const placed of directoryEntries(zip, from)) {
    if (!isWanted(placed.entry.name)) continue
    const mark = formatMark(placed.entry.crc)
    const problem = findProblem(placed.entry)
    const one = { ...placed, mark, problem, isPassed: problem !== null || isKnown(placed.entry.name, mark) }
    const [start, end] = one.isPassed ? [group.low, group.high] : [placed.entry.offset, findEnd(placed.entry)]
    const isFull =
      group.entries.length >= groupEntries || Math.max(group.high, end) - Math.min(group.low, start) > groupBytes
    if (isFull && group.entries.length) {
      yield group
      group = emptyGroup()
    }
    group.entries.push(one)
    if (one.isPassed) continue
    group.low = Math.min(group.low, start)
    group.high = Math.max(group.high, end)
  }
  if (group.entries.length) yield group
}

const findEnd = ({ name, offset, compressed }: ZipEntry) =>
  offset + localHeaderBytes + name.length * 4 + headerSlackBytes + compressed

async function fetchGroup(zip: RangedZip, { low, high }: Group) {
  const end = Math.min(high, zip.directory.offset)
  return low < end ? await fetchRange(zip, zip.start + low, zip.start + end) : new Uint8Array()
}

async function* readGroup({ entries, low }: Group, bytes: Uint8Array) {
  for (const { entry, place, mark, problem, isPassed } of entries) {
    if (isPassed) {
      yield { name: entry.name, mark, text: null, problem, place }
      continue
    }
    const header = readLocalHeader(bytes, entry.offset - low)
    const start = entry.offset - low + (header?.bytes ?? 0)
    if (!header || start + entry.compressed > bytes.length)
      throw new SourceError(`The archive is damaged at ${entry.name}`)
    const unpacked = unpackText(entry, bytes.subarray(start, start + entry.compressed))
    await breathe(unpacked.text?.length ?? 0)
    yield { name: entry.name, mark, ...unpacked, place }
  }
}

async function* directoryEntries(zip: RangedZip, from: ZipPlace): AsyncGenerator<Placed> {
  const { offset, size, entries: total } = zip.directory
  let { entries, byte } = from.byte > 0 ? from : zipStart
  while (entries < total) {
    const end = Math.min(byte + directoryPieceBytes, size)
    const bytes = await fetchRange(zip, zip.start + offset + byte, zip.start + offset + end)
    let at = 0
    for (let found = readEntry(bytes, at); found && entries < total; found = readEntry(bytes, at)) {
      at = found.next
      entries++
      if (entries > from.entries) yield { entry: found.entry, place: { entries, byte: byte + at } }
    }
    if (at === 0) throw new SourceError(`The directory of the archive ends after ${entries} of ${total} entries`)
    byte += at
  }
}

async function readDirectory(part: Part, start: number, size: number) {
  const from = Math.max(0, size - tailBytes)
  return findDirectory(await fetchRange(part, start + from, start + size), from)
}

async function fetchRange({ url, version }: Part, from: number, to: number) {
  const headers = { range: `bytes=${from}-${to - 1}` }
  const source = await openSource(url, { max_bytes: to - from, headers })
  if (!source || parseSize(source.headers) === null || readVersion(source.headers) !== version) {
    await source?.body.cancel()
    throw new SourceError('The archive was replaced while it was read')
  }
  const bytes = await readBytes(source.body)
  if (bytes.length !== to - from) throw new SourceError('The archive is cut off')
  return bytes
}

async function openBody({ url, version }: Part) {
  const source = await openSource(url, { max_bytes: maxZipBytes })
  if (source && readVersion(source.headers) === version) return source.body
  await source?.body.cancel()
  throw new SourceError('The archive was replaced while it was read')
}

const readBytes = async (body: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(body).arrayBuffer())

// "bytes 0-65535/123456789"; a server that does not know ranges sends the whole file without it.
function parseSize(headers: Headers) {
  const size = /\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]
  return size === undefined ? null : Number(size)
}
