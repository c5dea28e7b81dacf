import * as z from 'zod'
import { readBulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { plusSeconds } from '../../db/time'
import { formatSourceKey, type Source } from '../../domain/words/record'
import { openChanged, openSource, readVersion } from '../read/fetch-source'
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

/** The list of changes of all ecosystems, as it was read last, and when each ecosystem was asked for its own. */
export const AllList = z.object({ version: z.string(), through: z.string(), asked_at: z.string() })
type AllList = z.output<typeof AllList>

/** Each ecosystem is asked itself once an hour: a record that OSV lists late may be older than what we look at here. */
const askSeconds = 3_600
const maxModified = 20_000

type Looking = {
  origin: string
  now: Date
  isNews: (record: ModifiedRecord) => boolean
}

/** Ecosystems with news, by the one list of all; null where each must be asked itself. */
export async function findNewsPlaces(all: AllList | null, { origin, now, isNews }: Looking) {
  const asking = { places: null, all: { version: '', through: now.toISOString(), asked_at: now.toISOString() } }
  if (!all || all.asked_at <= plusSeconds(now, -askSeconds).toISOString()) return asking
  const list = await readModifiedList(origin, {
    since: overlapFrom(all.through),
    max: maxModified,
    version: all.version,
  })
  if (list === 'too many' || list === 'missing') return asking
  if (list === 'unchanged') return { places: [], all }
  const places = [...new Set(list.changed.filter(isNews).map(({ ecosystem }) => ecosystem))]
  const through = newestSince(list.changed, now) ?? all.through
  return { places, all: { ...all, version: list.version, through } }
}

const lateSeconds = 14 * 86_400
/** Times are those of a record's own database: it may be listed days after them (google/osv.dev, pull request 5058). */
export const lateFrom = (through: string) => plusSeconds(new Date(through), -lateSeconds).toISOString()

/** Those that we lack, or have as they were before. */
export async function findUnread(db: Db, listed: ModifiedRecord[], findSource: (record: { ref: string }) => Source) {
  const keys = new Map(listed.map((record) => [formatSourceKey(findSource({ ref: record.id }), record.id), record]))
  const found = await readBulk<{ key: string }>(
    db,
    `SELECT j.value->>0 AS key FROM jsonb_each(?1) j WHERE NOT EXISTS (
       SELECT 1 FROM vuln_records r WHERE r.source = j.value->>0 AND r.source NOT IN ('cve', 'nvd') AND r.modified >= unixepoch(j.value->>1))`,
    [...keys].map(([key, { modified }]) => [key, modified]),
  )
  return found.flatMap(({ key }) => keys.get(key) ?? [])
}
