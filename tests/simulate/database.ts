import type { DatabaseSync } from 'node:sqlite'
import { asD1, byTrips, countWrites, isReading, toBookmark } from '../bench/sqlite-d1.ts'
import type { AskedStatement } from '../bench/sqlite-d1.ts'
import { openCopy } from './base.ts'

type Around = {
  /** What goes with each trip: it may wait, and throw before or after its effect. */
  trip: <CallAnswer>(work: () => Promise<CallAnswer>, isWrite: boolean) => Promise<CallAnswer>
  /** Whether a copy stays as it is before a write, for half a minute. */
  staysBehind: () => boolean
  now_ms: () => number
}
/** A database, and how many writes it knows of. */
type Place = { plain: ReturnType<typeof asD1>; version: number }

const behind_ms = 30_000
/** D1 on SQLite in this process: each query and each batch is a trip. Readers may be answered by a copy that knows what their bookmark stands for. */
export function simulatedD1(file: DatabaseSync, { trip, staysBehind, now_ms }: Around) {
  const primary: Place = { plain: asD1(file), version: 0 }
  let late: (Place & { until_ms: number }) | undefined

  const askAt = async ({ plain }: Place, asked: AskedStatement[]) => {
    const [first, ...others] = asked.map(({ sql, values }) => plain.prepare(sql, values))
    return first && others.length === 0 ? [await first.all()] : plain.batch(first ? [first, ...others] : [])
  }
  const askPrimary = async (asked: AskedStatement[]) => {
    const isWrite = !asked.every(isReading)
    if (isWrite && staysBehind())
      late = { plain: asD1(openCopy(file.serialize())), version: primary.version, until_ms: now_ms() + behind_ms }
    const results = await askAt(primary, asked)
    if (isWrite) primary.version++
    return results
  }
  const withSession = (start = 'first-unconstrained') => {
    let seen = start.startsWith('first-') ? null : countWrites(start)
    const ask = (asked: AskedStatement[]) =>
      trip(async () => {
        const isAnywhere = (seen !== null || start === 'first-unconstrained') && asked.every(isReading)
        const isFit = late && late.until_ms > now_ms() && late.version >= (seen ?? 0)
        const place = isAnywhere && isFit && late ? late : primary
        const results = await (place === primary ? askPrimary(asked) : askAt(place, asked))
        seen = Math.max(seen ?? 0, place.version)
        return results
      }, !asked.every(isReading))
    return { ...byTrips(ask), getBookmark: () => (seen === null ? null : toBookmark(seen)) }
  }
  return { ...byTrips((asked) => trip(() => askPrimary(asked), !asked.every(isReading))), withSession }
}
