import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'

type Pieces = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

const making = new Map<string, Promise<string>>()

type Composition = {
  /** The file's name in the cache, with an ending. */
  name: string
  /** Its parts: if the size or time of one changes, we compose the file again. */
  files: string[]
  pieces: () => Pieces
}

/** Composes a file that the origin serves and the folder has in another form; answers its path in the cache. */
export async function composeFile(cache: string, { name, files, pieces }: Composition): Promise<string> {
  const stats = await Promise.all(files.map((file) => stat(file)))
  const version = createHash('sha256').update(
    stats.map(({ size, mtime }, at) => `${files[at]} ${size} ${mtime.getTime()}`).join('\n'),
  )
  const [, stem = name, ending = ''] = /^(.*?)(\.[^.]+)$/.exec(name) ?? []
  const path = join(cache, `${stem}-${version.digest('hex').slice(0, 16)}${ending}`)
  const started =
    making.get(path) ?? write(path, stem, pieces, new Date(Math.max(0, ...stats.map((file) => +file.mtime))))
  making.set(path, started)
  return started.finally(() => making.delete(path))
}

async function write(path: string, stem: string, pieces: Composition['pieces'], changed_at: Date) {
  if (await stat(path).catch(() => undefined)) return path
  const folder = join(path, '..')
  await mkdir(folder, { recursive: true })
  const isOld = new RegExp(`^${stem.replaceAll(/\W/g, String.raw`\$&`)}-[\\da-f]{16}\\.`)
  for (const file of await readdir(folder)) if (isOld.test(file)) await rm(join(folder, file))
  await pipeline(Readable.from(pieces()), createWriteStream(`${path}.part`))
  await utimes(`${path}.part`, changed_at, changed_at)
  await rename(`${path}.part`, path)
  return path
}

/** In the order of their names; empty if there is no such folder. */
export async function listFiles(folder: string, pattern: RegExp) {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => pattern.test(name))
    .toSorted()
    .map((name) => join(folder, name))
}

export function readJson(path: string): unknown {
  const data = readFileSync(path)
  return JSON.parse((path.endsWith('.gz') ? gunzipSync(data) : data).toString())
}

/** Reads a file that is one JSON array, packed or not. */
export function readArray(path: string): unknown[] {
  const json = readJson(path)
  if (!Array.isArray(json)) throw new Error(`${basename(path)} is no array of records`)
  return json as unknown[]
}

export type Listed<Row> = { row: Row; read: () => Promise<Buffer> }
const listed = new Map<string, Promise<Map<string, Listed<unknown>>>>()

/** The records of files that are arrays, each at its place in one file of a line a record: all of them would fill the memory. */
export async function listRecords<Row>(
  cache: string,
  { name, files, toRow }: Pick<Composition, 'name' | 'files'> & { toRow: (record: never) => [key: string, row: Row] },
) {
  const path = await composeFile(cache, { name, files, pieces: () => readLines(files) })
  const known = listed.get(path) ?? index(path, toRow)
  listed.set(path, known)
  return known as Promise<Map<string, Listed<Row>>>
}

function* readLines(files: string[]) {
  for (const file of files) for (const record of readArray(file)) yield `${JSON.stringify(record)}\n`
}

async function index<Row>(path: string, toRow: (record: never) => [key: string, row: Row]) {
  const records = new Map<string, Listed<Row>>()
  const data = await readFile(path)
  for (let start = 0; start < data.length;) {
    const [from, end] = [start, data.indexOf(10, start)]
    const [key, row] = toRow(JSON.parse(data.subarray(from, end).toString()) as never)
    records.set(key, { row, read: () => readPart(path, from, end - from) })
    start = end + 1
  }
  return records
}

async function readPart(path: string, start: number, length: number) {
  const file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, start).finally(() => file.close())
  return buffer
}
