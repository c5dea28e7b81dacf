import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unzip = promisify(gunzip)
const making = new Map<string, Promise<string>>()

type Composition = {
  /** The file's name in the cache, with an ending. */
  name: string
  /** Its parts: if the size or time of one changes, we compose the file again. */
  files: string[]
  pieces: () => AsyncIterable<Uint8Array | string>
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
    making.get(path) ?? write(path, stem, pieces, new Date(Math.max(0, ...stats.map((one) => +one.mtime))))
  making.set(path, started)
  return started.finally(() => making.delete(path))
}

async function write(path: string, stem: string, pieces: Composition['pieces'], changed_at: Date) {
  if (await stat(path).catch(() => undefined)) return path
  const folder = join(path, '..')
  await mkdir(folder, { recursive: true })
  const isOld = new RegExp(`^${stem.replaceAll(/\W/g, String.raw`\$&`)}-[\\da-f]{16}\\.`)
  for (const one of await readdir(folder)) if (isOld.test(one)) await rm(join(folder, one))
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

/** Reads a file that is one JSON array, packed or not. */
export async function readArray(path: string): Promise<unknown[]> {
  const data = await readFile(path)
  const json: unknown = JSON.parse((path.endsWith('.gz') ? await unzip(data) : data).toString())
  if (!Array.isArray(json)) throw new Error(`${basename(path)} is no array of records`)
  return json as unknown[]
}
