import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Missing, sendJson } from './answer.ts'
import { composeFile, readArray, listFiles } from './compose.ts'
import type { MirrorRoute } from './route.ts'

type Row = { CVE: string; public_date: string; severity: string | null; resource_url: string }
type Listed = { path: string; rows: Row[]; places: Map<string, { start: number; length: number }> }
type Cve = { name: string; public_date: string; threat_severity?: string }

const maxPage = 1_000
const known = new Map<string, Promise<Listed>>()

/** Red Hat's Security Data API: the list, newest first, and a page per CVE. */
export const redhatMirror: MirrorRoute[] = [
  {
    pattern: /^\/redhat\/cve\.json$/,
    async answer({ folder, cache, url, response }) {
      const { rows } = await list(folder, cache)
      const after = url.searchParams.get('after') ?? ''
      const per_page = Math.min(Number(url.searchParams.get('per_page') ?? 1_000), maxPage)
      const page = Number(url.searchParams.get('page') ?? 1)
      const found = rows.filter(({ public_date }) => public_date > after)
      return sendJson(response, found.slice((page - 1) * per_page, page * per_page))
    },
  },
  {
    pattern: /^\/redhat\/cve\/(CVE-\d{4}-\d+)\.json$/,
    async answer({ folder, cache, match, response }) {
      const { path, places } = await list(folder, cache)
      const place = places.get(match[1] ?? '')
      if (!place) throw new Missing('Not Found')
      const file = await open(path)
      const buffer = Buffer.alloc(place.length)
      await file.read(buffer, 0, place.length, place.start).finally(() => file.close())
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(buffer)
    },
  },
]

async function list(folder: string, cache: string) {
  const files = await listFiles(join(folder, 'redhat'), /^cve-\w+\.json(\.gz)?$/)
  if (!files.length) throw new Missing('This mirror has no redhat')
  const path = await composeFile(cache, { name: 'redhat.jsonl', files, pieces: () => readLines(files) })
  const listed = known.get(path) ?? index(path)
  known.set(path, listed)
  return listed
}

// One line per record, so that we can read a record from its place: all of them would fill the memory.
async function* readLines(files: string[]) {
  for (const file of files) for (const record of await readArray(file)) yield `${JSON.stringify(record)}\n`
}

async function index(path: string): Promise<Listed> {
  const rows: Row[] = []
  const places: Listed['places'] = new Map()
  const data = await readFile(path)
  for (let start = 0; start < data.length;) {
    const end = data.indexOf(10, start)
    const { name, public_date, threat_severity } = JSON.parse(data.subarray(start, end).toString()) as Cve
    rows.push({
      CVE: name,
      severity: threat_severity?.toLowerCase() ?? null,
      public_date,
      resource_url: `https://access.redhat.com/hydra/rest/securitydata/cve/${name}.json`,
    })
    places.set(name, { start, length: end - start })
    start = end + 1
  }
  return { path, places, rows: rows.toSorted((a, b) => (a.public_date < b.public_date ? 1 : -1)) }
}
