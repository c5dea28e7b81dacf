import { toZip } from '../../../scripts/mirror/zip-writer.ts'
import { serveFile } from './zip-server.ts'

export type Advisory = { id: string; modified: string }

/** OSV's files of each ecosystem, and its list of all; the newest stand first. */
export function answerBucket(ecosystems: Map<string, Advisory[]>, { pathname }: URL) {
  const [, folder = '', file = ''] = pathname.split('/')
  const list = (records: Advisory[], place = '') => records.map(({ id, modified }) => `${modified},${place}${id}\n`)
  if (folder === 'modified_id.csv')
    return newestFirst([...ecosystems].flatMap(([name, records]) => list(records, `${name}/`)))
  const records = ecosystems.get(folder) ?? []
  if (file === 'modified_id.csv') return newestFirst(list(records))
  if (file === 'all.zip') {
    const files = records.map((one) => ({ name: `${one.id}.json`, data: Buffer.from(JSON.stringify(one)) }))
    const etag = `"${JSON.stringify(records).length}"`
    return serveFile(toZip([{ name: 'README.txt', data: Buffer.from('OSV') }, ...files]), undefined, {
      hasRanges: false,
      etag,
    })
  }
  const found = records.find(({ id }) => file === `${id}.json`)
  return found ? Response.json(found) : new Response('no', { status: 404 })
}

const newestFirst = (lines: string[]) => new Response(lines.toSorted().toReversed().join(''))
