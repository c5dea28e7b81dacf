import { openChanged, openSource, readVersion } from '../read/fetch-source'
import { plusSeconds } from '../../db/time'
import { lines } from '../read/lines'

const maxBytes = 200_000_000

/** OSV may write the list a while after the times in it: records of this time are read unless we have them. */
const overlapSeconds = 3_600
export const overlapFrom = (through: string) => plusSeconds(new Date(through), -overlapSeconds).toISOString()

/** The list of one ecosystem does not name it. */
export type ModifiedRecord = { modified: string; ecosystem: string; id: string }

type Reading = { since: string; max: number; version: string }
type ModifiedList = { changed: ModifiedRecord[]; version: string }

/** Changes after `since`, oldest first, from `modified_id.csv` (`<time>,<id>`, newest first), unless it still has that version. */
export async function readModifiedList(
  folder: string,
  { since, max, version }: Reading,
): Promise<ModifiedList | 'unchanged' | 'too many' | 'missing'> {
  const source = await openChanged(`${folder}/modified_id.csv`, version, { max_bytes: maxBytes })
  if (source === 'unchanged') return source
  if (!source) return 'missing'
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

/** Time up to which a list is read; one that lies ahead would hide all others until then. */
export const newestSince = (changed: ModifiedRecord[], now: Date) =>
  changed.findLast(({ modified }) => modified <= now.toISOString())?.modified

export async function findNewestChange(folder: string, now: Date) {
  const source = await openSource(`${folder}/modified_id.csv`, { max_bytes: maxBytes })
  if (!source) return null
  for await (const line of lines(source.body)) {
    const one = readLine(line)
    if (one && one.modified <= now.toISOString()) return one.modified
  }
  return null
}

// "2024-08-15T00:05:00.123456Z,GO-2024-1234"; the list of all ecosystems puts a folder before the id.
function readLine(line: string): ModifiedRecord | null {
  const [, time = '', ecosystem = '', id = ''] = /^([^,]+),(?:(.*)\/)?([^/,]+)$/.exec(line.trim()) ?? []
  const at = Date.parse(time)
  return Number.isNaN(at) ? null : { modified: new Date(at).toISOString(), ecosystem, id }
}
