import { openChanged, openSource, readVersion } from '../read/fetch-source'
import { plusSeconds } from '../../db/time'
import { lines } from '../read/lines'

const maxBytes = 200_000_000
const maxOlder = 10_000

/** OSV may write the list a while after the times in it: records of this time are read unless we have them. */
const overlapSeconds = 3_600
export const overlapFrom = (through: string) => plusSeconds(new Date(through), -overlapSeconds).toISOString()

/** The list of one ecosystem does not name it. */
export type ModifiedRecord = { modified: string; ecosystem: string; id: string }

/** By id. */
export const toTimes = (listed: ModifiedRecord[]) =>
  Object.fromEntries(listed.map(({ id, modified }) => [id, modified]))

export const pickAfter = (times: Record<string, string>, after: string) =>
  Object.fromEntries(Object.entries(times).filter(([, time]) => time > after))

type Reading = { since: string; max: number; version: string; older_since?: string }
type ModifiedList = { changed: ModifiedRecord[]; older: ModifiedRecord[]; version: string }

/**
 * Changes after `since`, oldest first, from `modified_id.csv` (`<time>,<id>`, newest first), unless it still has that version; and
 * the `older` ones after `older_since`.
 */
export async function readModifiedList(
  folder: string,
  { since, max, version, older_since = since }: Reading,
): Promise<ModifiedList | 'unchanged' | 'too many' | 'missing'> {
  const source = await openChanged(`${folder}/modified_id.csv`, version, { max_bytes: maxBytes })
  if (source === 'unchanged') return source
  if (!source) return 'missing'
  const changed: ModifiedRecord[] = []
  const older: ModifiedRecord[] = []
  for await (const line of lines(source.body)) {
    const one = readLine(line)
    if (!one) continue
    if (one.modified <= older_since || older.length === maxOlder) break
    if (one.modified <= since) older.push(one)
    else if (changed.push(one) > max) return 'too many'
  }
  return { changed: changed.toReversed(), older, version: readVersion(source.headers) }
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
