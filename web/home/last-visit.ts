import * as z from 'zod'
import { currentIdentity } from '../session/session'
import { keep, readKept } from '../lib/kept'

export const visitsKey = 'EarshotVisits'
/** A sooner return is still the same visit. */
const pause_ms = 30 * 60_000
const Visit = z.object({ seen: z.string(), before: z.string().nullable() })
type Visit = z.output<typeof Visit>

/** Answers `findBefore`, and notes that they look now. */
export function noteVisit(now = new Date()) {
  const who = currentIdentity()
  const visits = z.record(z.string(), Visit).safeParse(readKept(visitsKey)).data ?? {}
  const before = findBefore(visits[who], now)
  const seen = `${now.toISOString().slice(0, 19)}Z`
  keep(visitsKey, JSON.stringify({ ...visits, [who]: { seen, before: before ?? null } }))
  return before
}

/** When this person looked at this organization's home last, before this visit. */
export function findBefore(known: Partial<Visit> | undefined, now = new Date()) {
  const isNew = now.getTime() - Date.parse(known?.seen ?? '') > pause_ms
  return (isNew ? known?.seen : known?.before) ?? undefined
}

let visit: { before: string | undefined } | undefined

/** One visit lasts as long as the page: each organization is entered by loading it anew. */
export const beforeVisit = () => (visit ??= { before: noteVisit() }).before
