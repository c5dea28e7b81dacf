import * as z from 'zod'
import { plusSeconds } from '../../db/time'
import { newestSince, overlapFrom, readModifiedList } from './modified-list'
import type { ModifiedRecord } from './modified-list'

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
