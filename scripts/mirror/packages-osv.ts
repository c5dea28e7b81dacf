import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { Missing, sendFile, sendText } from './answer.ts'
import { composeFile } from './compose.ts'
import type { MirrorCall, MirrorRoute } from './route.ts'
import { zipPieces } from './zip-writer.ts'

type Advisory = { id: string; modified: string; affected?: { package?: { ecosystem: string } }[] }
type Contents = { modified: string; texts: Map<string, string> }

const known = new Map<string, Promise<Contents>>()
const utf8 = new TextDecoder()

/** The buckets of OSV: per ecosystem an archive and the list of its changes, and single records; malicious packages apart. */
export const osvMirror: MirrorRoute[] = [
  {
    pattern: /^\/(osv|malicious)\/([^/]+)\/all\.zip$/,
    answer: async (exchange) =>
      sendFile(exchange.request, exchange.response, { path: await findArchive(exchange), type: 'application/zip' }),
  },
  {
    pattern: /^\/(osv|malicious)\/([^/]+)\/modified_id\.csv$/,
    answer: async (exchange) => sendChanges(exchange, await listChanges(await findArchive(exchange))),
  },
  {
    pattern: /^\/(osv|malicious)\/modified_id\.csv$/,
    async answer(exchange) {
      const [, bucket = ''] = exchange.match
      const lists = osvEcosystems(exchange.folder, bucket).map(async (ecosystem) => {
        const changes = await listChanges(await openArchive(exchange, bucket, ecosystem))
        return changes.map(([time, id]) => [time, `${ecosystem}/${id}`] as const)
      })
      return sendChanges(exchange, (await Promise.all(lists)).flat())
    },
  },
  {
    pattern: /^\/(osv|malicious)\/([^/]+)\/([^/]+)\.json$/,
    async answer(exchange) {
      const { texts } = await readContents(await findArchive(exchange))
      const text = texts.get(decodeURIComponent(exchange.match[3] ?? ''))
      if (text === undefined) throw new Missing('This mirror has no such advisory')
      exchange.response.writeHead(200, { 'content-type': 'application/json' })
      return exchange.response.end(text)
    },
  },
]

async function listChanges(archive: string) {
  const { texts, modified } = await readContents(archive)
  return [...texts].flatMap(([id, text]) => {
    try {
      return [[formatChange(JSON.parse(text) as Advisory, modified), id] as const]
    } catch (error) {
      sayOnce(`Skipped ${id} of ${archive}: ${String(error)}`)
      return []
    }
  })
}

function sendChanges({ response }: MirrorCall, rows: (readonly [time: string, id: string])[]) {
  const newestFirst = rows.toSorted(([a], [b]) => (a < b ? 1 : -1))
  return sendText(response, newestFirst.map((row) => `${row.join(',')}\n`).join(''))
}

/** The ecosystems that the folder has: those with an archive, and those of the single records. */
export function osvEcosystems(folder: string, bucket = 'osv'): string[] {
  const root = join(folder, bucket)
  const packed = existsSync(root) ? readdirSync(root).filter((name) => existsSync(join(root, name, 'all.zip'))) : []
  return [...new Set([...packed, ...listSingles(folder, bucket).flatMap(({ ecosystems }) => ecosystems)])].toSorted()
}

function findArchive({ folder, cache, match }: MirrorCall) {
  const [bucket = '', ecosystem = ''] = match.slice(1).map(decodeURIComponent)
  return openArchive({ folder, cache }, bucket, ecosystem)
}

async function openArchive({ folder, cache }: Pick<MirrorCall, 'folder' | 'cache'>, bucket: string, ecosystem: string) {
  const packed = join(folder, bucket, ecosystem, 'all.zip')
  if (!ecosystem.startsWith('.') && existsSync(packed)) return packed

  const singles = listSingles(folder, bucket).filter(({ ecosystems }) => ecosystems.includes(ecosystem))
  if (!singles.length) throw new Missing(`This mirror has no ecosystem ${ecosystem}`)
  const inputs = singles.map(({ id, text }) => ({ name: `${id}.json`, data: Buffer.from(text) }))
  const files = singles.map(({ path }) => path)
  const name = `${bucket}-${ecosystem.replaceAll(/\W/g, '_')}.zip`
  return composeFile(cache, { name, files, pieces: () => zipPieces(inputs) })
}

const singleFolders = new Map([
  ['osv', 'osv/misc'],
  ['malicious', 'malicious/osv'],
])

// Records without a package are in no ecosystem's archive, and those without an id in no bucket.
function listSingles(folder: string, bucket: string) {
  const root = join(folder, singleFolders.get(bucket) ?? '')
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }) : []
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const path = join(root, name)
      const text = readFileSync(path, 'utf8')
      try {
        const { id, affected = [] } = JSON.parse(text) as Advisory
        const ecosystems = affected.flatMap((product) => product.package?.ecosystem.split(':', 1) ?? [])
        return id ? [{ path, id, text, ecosystems: [...new Set(ecosystems)] }] : []
      } catch (error) {
        sayOnce(`Skipped ${path}: ${String(error)}`)
        return []
      }
    })
}

const said = new Set<string>()

/** The folder is read for each request. */
function sayOnce(text: string) {
  if (said.has(text)) return
  said.add(text)
  console.error(text)
}

function readContents(path: string) {
  const { size, mtime } = statSync(path)
  const version = `${path} ${size} ${mtime.getTime()}`
  const contents = known.get(version) ?? unpack(path, mtime.toISOString())
  known.set(version, contents)
  return contents
}

async function unpack(path: string, modified: string): Promise<Contents> {
  const files = Object.entries(unzipSync(await readFile(path)))
  return { modified, texts: new Map(files.map(([name, data]) => [name.replace(/\.json$/, ''), utf8.decode(data)])) }
}

// OSV replaces a database's zero time.
const formatChange = ({ modified }: Advisory, fallback: string) => (/^0*1-01-01/.test(modified) ? fallback : modified)
