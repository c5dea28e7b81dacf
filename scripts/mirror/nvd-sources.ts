import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { jsonElements } from '../../worker/feeds/read/json-elements.ts'
import { listFiles } from './compose.ts'
import { cveOfItem, type NvdItem11 } from './nvd-legacy.ts'

/** The array that holds the records: of a 2.0 feed, or of one of the retired 1.1, whose records are served as 2.0 ones. */
type Key = 'vulnerabilities' | 'CVE_Items'
/** One file of records; `version` changes whenever its content does. `year` is set for a year file, else it adds to any year. */
export type NvdFile = { path: string; version: string; key: Key; year?: number }
/** Place and age of a record. It has no body: all files together are too large to keep. */
export type Entry = { id: string; modified_ms: number; source: NvdFile; position: number }

const index = new Map<string, Promise<Entry[]>>()

/** The files that the year files are made of. */
export const listFeedSources = async (folder: string) => [
  ...(await listSources(join(folder, 'nvd/2.0'), 'vulnerabilities')),
  ...(await listSources(join(folder, 'nvd/1.1'), 'CVE_Items')),
]
/** News since, which only the API tells. */
export const listDeltaSources = (folder: string) => listSources(join(folder, 'nvd/delta'), 'vulnerabilities')

async function listSources(folder: string, key: Key): Promise<NvdFile[]> {
  const paths = await listFiles(folder, /\.json(\.gz)?$/)
  const sources = await Promise.all(paths.map((path) => describe(path, key)))
  return sources.toSorted((a, b) => Number(b.year !== undefined) - Number(a.year !== undefined))
}

async function describe(path: string, key: Key): Promise<NvdFile> {
  const { size, mtime } = await stat(path)
  const year = /^nvdcve-(?:2\.0|1\.1)-(\d{4})\.json/.exec(basename(path))?.[1]
  return { path, version: `${path} ${size} ${mtime.getTime()}`, key, ...(year && { year: Number(year) }) }
}

/** The records of a file one by one, as its text has them. */
async function* readTexts({ path, key }: NvdFile): AsyncGenerator<string> {
  const file = createReadStream(path, { highWaterMark: 1_000_000 })
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip({ chunkSize: 1_000_000 })) : file
  const body = Readable.toWeb(bytes) as ReadableStream<Uint8Array>
  try {
    for await (const text of jsonElements(body, key)) yield text
  } catch (cause) {
    throw new Error(`${path} is no NVD feed`, { cause })
  }
}

export function listEntries(source: NvdFile): Promise<Entry[]> {
  const known = index.get(source.version) ?? readIndex(source)
  index.set(source.version, known)
  known.catch(() => index.delete(source.version))
  return known
}

async function readIndex(source: NvdFile) {
  const entries: Entry[] = []
  for await (const text of readTexts(source))
    entries.push({ ...readHead(text, source), source, position: entries.length })
  return entries
}

// Id and time stand at the start of a compact 2.0 record and at both ends of a 1.1 item: most need no parsing.
const start20 =
  /^\{"cve":\{"id":"([^"\\]+)","sourceIdentifier":"[^"\\]*","published":"[^"\\]*","lastModified":"([^"\\]+)"/
const start11 = /^\{\s*"cve"\s*:\s*\{[^{}]*"CVE_data_meta"\s*:\s*\{\s*"ID"\s*:\s*"([^"\\]+)"/
const end11 = /"lastModifiedDate"\s*:\s*"([^"\\]+)"\s*\}\s*$/

function readHead(text: string, { path, key }: NvdFile) {
  const is20 = key === 'vulnerabilities'
  const [start, end] = is20 ? [start20.exec(text), null] : [start11.exec(text), end11.exec(text.slice(-200))]
  const [id, modified] = [start?.[1], start?.[2] ?? end?.[1]]
  if (id && modified) return { id: copyText(id), modified_ms: parseTime(modified) }
  try {
    const { cve } = parseRecord(text, key)
    return { id: cve.id, modified_ms: parseTime(cve.lastModified) }
  } catch (cause) {
    throw new Error(`${path} is no NVD feed`, { cause })
  }
}

// A match is a view into its text, and would keep the whole record in memory for its id.
const copyText = (text: string) => Buffer.from(text).toString()

/** The newest entry of each CVE, in the order of the ids. Of equally new ones a 2.0 record wins over a 1.1 one, and then the later source. */
export function newestEntries(entries: Entry[]): Entry[] {
  const newest = new Map<string, Entry>()
  for (const entry of entries) {
    const known = newest.get(entry.id)
    if (!known || isNewer(entry, known)) newest.set(entry.id, entry)
  }
  return [...newest.values()].toSorted((a, b) => parseNumber(a.id) - parseNumber(b.id))
}

function isNewer(entry: Entry, known: Entry) {
  const [is20, was20] = [entry, known].map(({ source }) => source.key === 'vulnerabilities')
  if (is20 === was20) return entry.modified_ms >= known.modified_ms
  // 1.1 rounds to minutes.
  const minutes = Math.floor(entry.modified_ms / 60_000) - Math.floor(known.modified_ms / 60_000)
  return is20 ? minutes >= 0 : minutes > 0
}

/** The records of these entries as texts of API 2.0, in their order; each file is read once, as far as it is needed. */
export async function readEntries(entries: Entry[]): Promise<string[]> {
  const found = new Map<Entry, string>()
  for (const [source, wanted] of Map.groupBy(entries, (entry) => entry.source)) {
    const byPosition = new Map(wanted.map((entry) => [entry.position, entry]))
    let position = 0
    for await (const text of readTexts(source)) {
      const entry = byPosition.get(position++)
      if (entry)
        found.set(entry, source.key === 'vulnerabilities' ? text : JSON.stringify(parseRecord(text, source.key)))
      if (entry && byPosition.delete(entry.position) && byPosition.size === 0) break
    }
  }
  return entries.flatMap((entry) => found.get(entry) ?? [])
}

const parseRecord = (text: string, key: Key): { cve: { id: string; lastModified: string } } =>
  key === 'vulnerabilities' ? JSON.parse(text) : cveOfItem(JSON.parse(text) as NvdItem11)

/** NVD writes times without a zone; they are UTC. */
export const parseTime = (time: string) => Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`)

/** The year of the feed file that holds a CVE: ids of 1999 to 2001 sit in the file of 2002. */
export const parseFeedYear = (id: string) => Math.max(2002, Number(id.slice(4, 8)))

// CVE-2024-12345 → 2024000012345, so that numbers sort as numbers.
const parseNumber = (id: string) => Number(id.slice(4, 8)) * 1e9 + Number(id.slice(9))
