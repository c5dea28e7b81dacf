import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { Missing, sendFile, sendText } from './answer.ts'
import { composed } from './composed.ts'
import type { Asked, MirrorRoute } from './route.ts'
import { zipPieces } from './zip-writer.ts'

type Advisory = { id: string; modified: string; affected?: { package?: { ecosystem: string } }[] }
type Contents = { modified: string; texts: Map<string, string> }

const known = new Map<string, Promise<Contents>>()
const utf8 = new TextDecoder()

/** The bucket of OSV: an archive each ecosystem, the list of its changes, and its records one by one. */
export const osvRoutes: MirrorRoute[] = [
  {
    pattern: /^\/osv\/([^/]+)\/all\.zip$/,
    answer: async (asked) =>
      sendFile(asked.request, asked.response, { path: await archiveOf(asked), type: 'application/zip' }),
  },
  {
    pattern: /^\/osv\/([^/]+)\/modified_id\.csv$/,
    async answer(asked) {
      const { texts, modified } = await contentsOf(await archiveOf(asked))
      const rows = [...texts].map(([id, text]) => [changeOf(JSON.parse(text) as Advisory, modified), id] as const)
      const newestFirst = rows.toSorted(([a], [b]) => (a < b ? 1 : -1))
      return sendText(asked.response, newestFirst.map((row) => `${row.join(',')}\n`).join(''))
    },
  },
  {
    pattern: /^\/osv\/([^/]+)\/([^/]+)\.json$/,
    async answer(asked) {
      const { texts } = await contentsOf(await archiveOf(asked))
      const text = texts.get(decodeURIComponent(asked.match[2] ?? ''))
      if (text === undefined) throw new Missing('This mirror has no such advisory')
      asked.response.writeHead(200, { 'content-type': 'application/json' })
      return asked.response.end(text)
    },
  },
]

/** The ecosystems that the folder has: those with an archive, and those of the single records. */
export function osvEcosystems(folder: string): string[] {
  const root = join(folder, 'osv')
  const packed = existsSync(root) ? readdirSync(root).filter((name) => existsSync(join(root, name, 'all.zip'))) : []
  return [...new Set([...packed, ...singlesOf(folder).flatMap(({ ecosystems }) => ecosystems)])].toSorted()
}

async function archiveOf({ folder, cache, match }: Pick<Asked, 'folder' | 'cache' | 'match'>) {
  const ecosystem = decodeURIComponent(match[1] ?? '')
  const packed = join(folder, 'osv', ecosystem, 'all.zip')
  if (!ecosystem.startsWith('.') && existsSync(packed)) return packed

  const singles = singlesOf(folder).filter(({ ecosystems }) => ecosystems.includes(ecosystem))
  if (!singles.length) throw new Missing(`This mirror has no ecosystem ${ecosystem}`)
  const inputs = singles.map(({ id, text }) => ({ name: `${id}.json`, data: Buffer.from(text) }))
  const files = singles.map(({ path }) => path)
  const name = `osv-${ecosystem.replaceAll(/\W/g, '_')}.zip`
  return composed(cache, { name, files, pieces: () => async(zipPieces(inputs)) })
}

async function* async<Piece>(pieces: Iterable<Piece>) {
  yield* pieces
}

// Records without a package are in no ecosystem's archive.
function singlesOf(folder: string) {
  const misc = join(folder, 'osv/misc')
  const names = existsSync(misc) ? readdirSync(misc).filter((name) => name.endsWith('.json')) : []
  return names.map((name) => {
    const path = join(misc, name)
    const text = readFileSync(path, 'utf8')
    const { id, affected = [] } = JSON.parse(text) as Advisory
    const ecosystems = affected.flatMap((one) => one.package?.ecosystem.split(':', 1) ?? [])
    return { path, id, text, ecosystems: [...new Set(ecosystems)] }
  })
}

function contentsOf(path: string) {
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

// OSV fills in what a database leaves at the zero time.
const changeOf = ({ modified }: Advisory, fallback: string) => (/^0*1-01-01/.test(modified) ? fallback : modified)
