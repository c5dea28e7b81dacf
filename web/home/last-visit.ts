import * as z from 'zod'
import { currentIdentity } from '../session/session'
import { findKept, keep } from '../lib/kept'

const storageKey = 'EarshotVisits'
/** A sooner return is still the same visit. */
const pause_ms = 30 * 60_000
const Visits = z.record(z.string(), z.object({ seen: z.string(), before: z.string().nullable() }))

/** When this person looked at this organization's home last, before this visit; notes that they do so now. */
export function noteVisit(now = new Date()): string | undefined {
  const who = currentIdentity()
  const visits = readVisits()
  const known = visits[who]
  const isNew = known !== undefined && now.getTime() - Date.parse(known.seen) > pause_ms
  const before = isNew ? known.seen : (known?.before ?? null)
  const seen = `${now.toISOString().slice(0, 19)}Z`
  keep(storageKey, JSON.stringify({ ...visits, [who]: { seen, before } }))
  return before ?? undefined
}

function readVisits(): z.output<typeof Visits> {
  try {
    return Visits.parse(JSON.parse(findKept(storageKey) ?? '{}'))
  } catch {
    return {}
  }
}
