import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { jsonElements } from '../../worker/feeds/json-elements.ts'

export type NvdRecord = { cve: { id: string; lastModified: string } }
/** One file of records; `version` changes whenever its content does. `year` is set for a year file, else it adds to any year. */
export type Source = { path: string; version: string; changed_at: Date; year?: number }
/** Where a record is and how new it is, without its body: the files together are too large to keep parsed. */
export type Entry = { id: string; modified_ms: number; source: Source; position: number }

const index = new Map<string, Promise<Entry[]>>()

export async function listSources(folder: string): Promise<Source[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.json(\.gz)?$/.test(name)).toSorted()
  const sources = await Promise.all(names.map((name) => describe(folder, name)))
  return sources.toSorted((a, b) => Number(b.year !== undefined) - Number(a.year !== undefined))
}

async function describe(folder: string, name: string): Promise<Source> {
  const path = join(folder, name)
  const { size, mtime } = await stat(path)
  const year = /^nvdcve-2\.0-(\d{4})\.json/.exec(name)?.[1]
  const version = `${path} ${size} ${mtime.getTime()}`
  return { path, version, changed_at: mtime, ...(year && { year: Number(year) }) }
}

/** The records of a file one by one: the files together are too large to keep. */
async function* recordsOf({ path }: Source): AsyncGenerator<NvdRecord> {
  const file = createReadStream(path, { highWaterMark: 1_000_000 })
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip({ chunkSize: 1_000_000 })) : file
  const body = Readable.toWeb(bytes) as ReadableStream<Uint8Array>
  try {
    for await (const text of jsonElements(body, 'vulnerabilities')) yield JSON.parse(text) as NvdRecord
  } catch (cause) {
    throw new Error(`${path} is no NVD feed`, { cause })
  }
}

export function listEntries(source: Source): Promise<Entry[]> {
  const known = index.get(source.version) ?? readIndex(source)
  index.set(source.version, known)
  known.catch(() => index.delete(source.version))
  return known
}

async function readIndex(source: Source) {
  const entries: Entry[] = []
  for await (const { cve } of recordsOf(source))
    entries.push({ id: cve.id, modified_ms: timeOf(cve.lastModified), source, position: entries.length })
  return entries
}

/** The newest entry of each CVE, in the order of the ids; of two equally new ones the later source wins. */
export function newestEntries(entries: Entry[]): Entry[] {
  const newest = new Map<string, Entry>()
  for (const entry of entries) {
    const known = newest.get(entry.id)
    if (!known || entry.modified_ms >= known.modified_ms) newest.set(entry.id, entry)
  }
  return [...newest.values()].toSorted((a, b) => numberOf(a.id) - numberOf(b.id))
}

/** The records of these entries, in their order; each file is read once, as far as it is needed. */
export async function readEntries(entries: Entry[]): Promise<NvdRecord[]> {
  const found = new Map<Entry, NvdRecord>()
  for (const [source, wanted] of Map.groupBy(entries, (entry) => entry.source)) {
    const byPosition = new Map(wanted.map((entry) => [entry.position, entry]))
    let position = 0
    for await (const record of recordsOf(source)) {
      const entry = byPosition.get(position++)
      if (entry) found.set(entry, record)
      if (entry && byPosition.delete(entry.position) && byPosition.size === 0) break
    }
  }
  return entries.flatMap((entry) => found.get(entry) ?? [])
}

/** NVD writes times without a zone; they are UTC. */
export const timeOf = (time: string) => Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)

/** The year of the feed file that holds a CVE: ids of 1999 to 2001 sit in the file of 2002. */
export const feedYearOf = (id: string) => Math.max(2002, Number(id.slice(4, 8)))

// CVE-2024-12345 → 2024000012345, so that numbers sort as numbers.
const numberOf = (id: string) => Number(id.slice(4, 8)) * 1e9 + Number(id.slice(9))
