import { openChanged, openSource, readVersion } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import { lines } from '../read/lines'

const maxBytes = 200_000_000

export type ModifiedRecord = { modified: string; id: string }

type Reading = { since: string; max: number; version: string }
type ModifiedList = { changed: ModifiedRecord[]; version: string }

/** What changed after `since`, oldest first, from `modified_id.csv` (`<time>,<id>`, newest first), unless it still has that version. */
export async function readModifiedList(
  folder: string,
  { since, max, version }: Reading,
): Promise<ModifiedList | 'unchanged' | 'too many'> {
  const source = await openChanged(`${folder}/modified_id.csv`, version, { max_bytes: maxBytes })
  if (source === 'unchanged') return source
  if (!source) throw new SourceError(`No such file: ${folder}/modified_id.csv`)
  const changed: ModifiedRecord[] = []
  for await (const line of lines(source.body)) {
    const one = readLine(line)
    if (!one) continue
    if (one.modified <= since) break
    changed.push(one)
    if (changed.length > max) return 'too many'
  }
  return { changed: changed.toReversed(), version: readVersion(source.headers) }
}

export async function findNewestChange(folder: string) {
  const source = await openSource(`${folder}/modified_id.csv`, { max_bytes: maxBytes })
  if (!source) return null
  for await (const line of lines(source.body)) {
    const one = readLine(line)
    if (one) return one.modified
  }
  return null
}

// "2024-08-15T00:05:00.123456Z,GO-2024-1234"; the list of all ecosystems puts a folder before the id.
function readLine(line: string): ModifiedRecord | null {
  const [, time = '', id = ''] = /^([^,]+),(?:.*\/)?([^/,]+)$/.exec(line.trim()) ?? []
  const at = Date.parse(time)
  return Number.isNaN(at) ? null : { modified: new Date(at).toISOString(), id }
}
