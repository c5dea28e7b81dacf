import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Missing, sendFile, sendJson, sendText } from './answer.ts'
import { listFiles, listRecords, readJson } from './compose.ts'
import type { MirrorCall, MirrorRoute } from './route.ts'

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
    pattern: new RegExp(`^${at}/changes\\.csv$`),
    answer: (exchange) => sendChanges(exchange, join(exchange.folder, place)),
  },
  {
    pattern: new RegExp(`^${at}/(\\d{4})/([\\w.+-]+\\.json)$`),
    answer: (exchange) => sendDocument(exchange, join(exchange.folder, place)),
  },
])

async function sendChanges({ request, response }: MirrorCall, place: string) {
  const path = join(place, 'changes.csv')
  if (existsSync(path)) return sendFile(request, response, { path, type: 'text/plain' })
  const years = await listFiles(place, /^\d{4}$/)
  const files = (await Promise.all(years.map((year) => listFiles(year, /\.json(\.gz)?$/)))).flat()
  const dated = files.map((file) => ({
    file,
    date: (readJson(file) as Document).document.tracking.current_release_date,
  }))
  const newestFirst = dated.toSorted((a, b) => (a.date < b.date ? 1 : -1))
  const rows = newestFirst.map(({ file, date }) => `"${file.slice(place.length + 1).replace(/\.gz$/, '')}","${date}"\n`)
  return sendText(response, rows.join(''))
}

type Document = { document: { tracking: { id: string; current_release_date: string } } }

/** The folder may keep the documents of a year in one array, the origin as a file each. */
async function sendDocument({ folder, cache, request, response, match }: MirrorCall, place: string) {
  const [, year = '', name = ''] = match
  const single = join(place, year, name)
  const type = 'application/json'
  for (const path of [single, `${single}.gz`]) if (existsSync(path)) return sendFile(request, response, { path, type })

  const files = await listFiles(place, new RegExp(`^${year}\\.json\\.gz$`))
  const documents = await listRecords(cache, {
    name: `${place.slice(folder.length).replaceAll(/\W/g, '_')}-${year}.jsonl`,
    files,
    toRow,
  })
  const listed = documents.get(name)
  if (!listed) throw new Missing(`This mirror has no ${year}/${name}`)
  return sendJson(response, await listed.read())
}

/** By the file name of a document (CSAF 2.0, section 5.1). */
const toRow = ({ document }: Document): [key: string, row: null] => [
  `${document.tracking.id.toLowerCase().replace(/[^+\-a-z0-9]+/g, '_')}.json`,
  null,
]
