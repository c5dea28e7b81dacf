import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

export type NvdRecord = { cve: { id: string; lastModified: string } }
/** One file of records; `version` changes whenever its content does. `year` is set for a year file, else it adds to any year. */
export type Source = { path: string; version: string; changed_at: Date; year?: number }
/** Where a record is and how new it is, without its body: the files together are too large to keep parsed. */
export type Entry = { id: string; modified_ms: number; source: Source; position: number }

const unzip = promisify(gunzip)
const index = new Map<string, Entry[]>()
const parsed = new Map<string, WeakRef<NvdRecord[]>>()

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

export async function readRecords(source: Source): Promise<NvdRecord[]> {
  const kept = parsed.get(source.version)?.deref()
  if (kept) return kept
  const vulnerabilities = await parse(source.path)
  parsed.set(source.version, new WeakRef(vulnerabilities))
  index.set(source.version, vulnerabilities.map(toEntry(source)))
  return vulnerabilities
}

async function parse(path: string) {
  const bytes = await readFile(path)
  try {
    const text = (path.endsWith('.gz') ? await unzip(bytes) : bytes).toString()
    return (JSON.parse(text) as { vulnerabilities: NvdRecord[] }).vulnerabilities
  } catch (cause) {
    throw new Error(`${path} is no NVD feed`, { cause })
  }
}

export async function listEntries(source: Source): Promise<Entry[]> {
  if (!index.has(source.version)) await readRecords(source)
  return index.get(source.version) ?? []
}

const toEntry =
  (source: Source) =>
  ({ cve: { id, lastModified } }: NvdRecord, position: number): Entry => ({
    id,
    modified_ms: timeOf(lastModified),
    source,
    position,
  })

/** The newest entry of each CVE, in the order of the ids; of two equally new ones the later source wins. */
export function newestEntries(entries: Entry[]): Entry[] {
  const newest = new Map<string, Entry>()
  for (const entry of entries) {
    const known = newest.get(entry.id)
    if (!known || entry.modified_ms >= known.modified_ms) newest.set(entry.id, entry)
  }
  return [...newest.values()].toSorted((a, b) => numberOf(a.id) - numberOf(b.id))
}

export async function readEntries(entries: Entry[]): Promise<NvdRecord[]> {
  const records: NvdRecord[] = []
  const files = new Map<Source, NvdRecord[]>()
  for (const { source, position } of entries) {
    const file = files.get(source) ?? (await readRecords(source))
    files.set(source, file)
    const record = file[position]
    if (record) records.push(record)
  }
  return records
}

/** NVD writes times without a zone; they are UTC. */
export const timeOf = (time: string) => Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)

/** The year of the feed file that holds a CVE: ids of 1999 to 2001 sit in the file of 2002. */
export const feedYearOf = (id: string) => Math.max(2002, Number(id.slice(4, 8)))

// CVE-2024-12345 → 2024000012345, so that numbers sort as numbers.
const numberOf = (id: string) => Number(id.slice(4, 8)) * 1e9 + Number(id.slice(9))
