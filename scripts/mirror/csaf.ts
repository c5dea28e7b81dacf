import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Missing, sendFile, sendText } from './answer.ts'
import type { MirrorCall, MirrorRoute } from './route.ts'

const unzip = promisify(gunzip)

/** Providers by the address of their folder at the origin, and where the mirror keeps them. */
const providers = [
  { at: '/cisagov/CSAF/develop/csaf_files/OT/white', place: 'csaf/cisa/OT/white' },
  { at: '/cisagov/CSAF/develop/csaf_files/IT/white', place: 'csaf/cisa/IT/white' },
  { at: '/data/csaf/v2/advisories', place: 'csaf/redhat' },
]

/** The providers that a folder of feeds has, as addresses at the mirror. */
export const csafPaths = (folder: string) =>
  providers.flatMap(({ at, place }) => (existsSync(join(folder, place)) ? at : []))

export const csafMirror: MirrorRoute[] = providers.flatMap(({ at, place }) => [
  {
    pattern: new RegExp(`^${at}/(index\\.txt|changes\\.csv)$`),
    answer: (exchange) => sendList(exchange, join(exchange.folder, place), exchange.match[1] === 'index.txt'),
  },
  {
    pattern: new RegExp(`^${at}/(\\d{4})/([\\w.+-]+\\.json)$`),
    answer: (exchange) => sendDocument(exchange, join(exchange.folder, place)),
  },
])

async function sendList({ request, response, match }: MirrorCall, place: string, isIndex: boolean) {
  const path = join(place, match[1] ?? '')
  if (existsSync(path)) return sendFile(request, response, { path, type: 'text/plain' })
  const paths = await listDocuments(place)
  if (isIndex) return sendText(response, paths.join('\n'))

  const dated = await Promise.all(paths.map(async (one) => ({ one, date: await changedAt(join(place, one)) })))
  const newest = dated.toSorted((a, b) => (a.date < b.date ? 1 : -1))
  return sendText(response, newest.map(({ one, date }) => `"${one.replace(/\.gz$/, '')}","${date}"\n`).join(''))
}

async function listDocuments(place: string) {
  const years = (await readdir(place).catch(() => [])).filter((name) => /^\d{4}$/.test(name)).toSorted()
  const lists = await Promise.all(
    years.map(async (year) => (await readdir(join(place, year))).map((name) => `${year}/${name}`)),
  )
  return lists.flat().filter((path) => /\.json(\.gz)?$/.test(path))
}

type Document = { document: { tracking: { id: string; current_release_date: string } } }

async function readJson<Json>(path: string) {
  const bytes = await readFile(path)
  return JSON.parse((path.endsWith('.gz') ? await unzip(bytes) : bytes).toString()) as Json
}

const changedAt = async (path: string) => (await readJson<Document>(path)).document.tracking.current_release_date

async function sendDocument({ cache, request, response, match }: MirrorCall, place: string) {
  const [, year = '', name = ''] = match
  const single = join(place, year, name)
  const type = 'application/json'
  for (const path of [single, `${single}.gz`]) if (existsSync(path)) return sendFile(request, response, { path, type })

  const array = join(place, `${year}.json.gz`)
  if (!existsSync(array)) throw new Missing(`This mirror has no ${year}/${name}`)
  const path = join(await unpackOnce(array, cache), name)
  if (!existsSync(path)) throw new Missing(`This mirror has no ${year}/${name}`)
  return sendFile(request, response, { path, type })
}

const unpacking = new Map<string, Promise<string>>()

// The mirror keeps the documents of a year in one array, the origin as a file each.
async function unpackOnce(array: string, cache: string) {
  const { size, mtimeMs } = await stat(array)
  const hash = createHash('sha256').update(`${array} ${size} ${mtimeMs}`).digest('hex').slice(0, 16)
  const folder = join(cache, `csaf-${hash}`)
  const started = unpacking.get(folder) ?? unpack(array, folder)
  unpacking.set(folder, started)
  started.catch(() => unpacking.delete(folder))
  return started
}

async function unpack(array: string, folder: string) {
  if (existsSync(folder)) return folder
  const half = `${folder}.${process.pid}`
  await mkdir(half, { recursive: true })
  for (const document of await readJson<Document[]>(array))
    await writeFile(join(half, fileName(document.document.tracking.id)), JSON.stringify(document))
  await rename(half, folder)
  return folder
}

/** The file name of a document (CSAF 2.0, section 5.1). */
const fileName = (id: string) => `${id.toLowerCase().replace(/[^+\-a-z0-9]+/g, '_')}.json`
