import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { Missing } from './answer.ts'
import { parseFeedYear, listEntries, listFeedSources, newestEntries, readEntries } from './nvd-sources.ts'
import type { NvdFile } from './nvd-sources.ts'

const making = new Map<string, Promise<string>>()
const metas = new Map<string, string>()

/** The path of the feed file of a year: the mirrored one, or one composed of all files with records of that year. */
export async function findYearFile(folder: string, cache: string, year: number): Promise<string> {
  if (year < 2002 || year > new Date().getUTCFullYear()) throw new Missing(`There is no NVD feed of ${year}`)
  const sources = await listFeedSources(folder)
  const parts: NvdFile[] = []
  for (const source of sources) if (await hasYear(source, year)) parts.push(source)

  const [only, ...others] = parts
  if (only?.year && isServable(only) && others.length === 0) return only.path
  return composeOnce(cache, { year, parts, made_at: await madeAt(sources, parts) })
}

const isServable = ({ path, key }: NvdFile) => path.endsWith('.gz') && key === 'vulnerabilities'

// The feed is dated by its newest change: the current time would give an unchanged feed another hash.
async function madeAt(sources: NvdFile[], parts: NvdFile[]) {
  const adding = sources.filter((source) => source.year === undefined)
  const lists = await Promise.all([...adding, ...parts].map(listEntries))
  return new Date(lists.flat().reduce((newest, { modified_ms }) => Math.max(newest, modified_ms), 0))
}

type Composition = { year: number; parts: NvdFile[]; made_at: Date }

async function hasYear(source: NvdFile, year: number) {
  if (source.year) return source.year === year
  return (await listEntries(source)).some(({ id }) => parseFeedYear(id) === year)
}

async function composeOnce(cache: string, { year, parts, made_at }: Composition) {
  const version = createHash('sha256').update([made_at.toISOString(), ...parts.map((part) => part.version)].join('\n'))
  const path = join(cache, `nvdcve-2.0-${year}-${version.digest('hex').slice(0, 16)}.json.gz`)
  const started = making.get(path) ?? compose(path, cache, { year, parts, made_at })
  making.set(path, started)
  return started.finally(() => making.delete(path))
}

async function compose(path: string, cache: string, { year, parts, made_at }: Composition) {
  if (await stat(path).catch(() => undefined)) return path
  const entries = (await Promise.all(parts.map(listEntries))).flat().filter(({ id }) => parseFeedYear(id) === year)
  const records = await readEntries(newestEntries(entries))

  await mkdir(cache, { recursive: true })
  for (const name of await readdir(cache)) if (name.startsWith(`nvdcve-2.0-${year}-`)) await rm(join(cache, name))
  await pipeline(Readable.from(findFeed(records, made_at)), createGzip({ level: 1 }), createWriteStream(`${path}.part`))
  const changed_at = new Date(Math.max(0, ...parts.map((part) => part.changed_at.getTime())))
  await utimes(`${path}.part`, changed_at, changed_at)
  await rename(`${path}.part`, path)
  return path
}

const batch = 500

// In pieces: a year is too large to be one string.
function* findFeed(records: string[], made_at: Date) {
  const count = records.length
  yield `{"resultsPerPage":${count},"startIndex":0,"totalResults":${count},"format":"NVD_CVE","version":"2.0",`
  yield `"timestamp":"${made_at.toISOString().slice(0, 23)}","vulnerabilities":[`
  for (let from = 0; from < count; from += batch)
    yield (from > 0 ? ',' : '') + records.slice(from, from + batch).join(',')
  yield ']}'
}

/** The file that NVD puts beside a feed file; the hash is that of the uncompressed JSON. */
export async function describeYearFile(path: string): Promise<string> {
  const { size, mtime } = await stat(path)
  const version = `${path} ${size} ${mtime.getTime()}`
  const known = metas.get(version)
  if (known) return known

  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of createReadStream(path).pipe(createGunzip()) as AsyncIterable<Buffer>) {
    hash.update(piece)
    bytes += piece.length
  }
  const meta = [
    `lastModifiedDate:${mtime.toISOString().slice(0, 19)}+00:00`,
    `size:${bytes}`,
    // The .zip has no size: this mirror does not serve it.
    `zipSize:${size}`,
    `gzSize:${size}`,
    `sha256:${hash.digest('hex').toUpperCase()}`,
    '',
  ].join('\r\n')
  metas.set(version, meta)
  return meta
}
