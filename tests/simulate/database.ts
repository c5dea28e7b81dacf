import { DatabaseSync } from 'node:sqlite'
import { asD1 } from '../bench/sqlite-d1.ts'

type Around = {
  /** What goes with each trip: it may wait, and throw before or after its effect. */
  trip: <CallAnswer>(work: () => Promise<CallAnswer>) => Promise<CallAnswer>
  /** Whether a copy stays as it is before a write, for half a minute. */
  staysBehind: () => boolean
  now_ms: () => number
}
type Asked = { sql: string; values: never[] }
/** A database, and how many writes it knows of. */
type Place = { plain: ReturnType<typeof asD1>; version: number }

const behind_ms = 30_000
const isReading = ({ sql }: Asked) =>
  /^\s*(?:select|with)\b/i.test(sql) && !/\b(?:insert|update|delete|replace) /i.test(sql)

/** D1 on SQLite in this process: each query and each batch is a trip. Readers may be answered by a copy that knows what their bookmark stands for. */
export function simulatedD1(file: DatabaseSync, { trip, staysBehind, now_ms }: Around) {
  const primary: Place = { plain: asD1(file), version: 0 }
  let late: (Place & { until_ms: number }) | undefined

  const askAt = async ({ plain }: Place, asked: Asked[]) => {
    const [first, ...others] = asked.map(({ sql, values }) => plain.prepare(sql, values))
    return first && others.length === 0 ? [await first.all()] : plain.batch(first ? [first, ...others] : [])
  }
  const askPrimary = async (asked: Asked[]) => {
    const isWrite = !asked.every(isReading)
    if (isWrite && staysBehind())
      late = { plain: asD1(copy(file)), version: primary.version, until_ms: now_ms() + behind_ms }
    const results = await askAt(primary, asked)
    if (isWrite) primary.version++
    return results
  }
  const withSession = (start = 'first-unconstrained') => {
    let seen = start.startsWith('first-') ? null : Number.parseInt(start.slice(0, 8), 16)
    const ask = (asked: Asked[]) =>
      trip(async () => {
        const isAnywhere = (seen !== null || start === 'first-unconstrained') && asked.every(isReading)
        const isFit = late && late.until_ms > now_ms() && late.version >= (seen ?? 0)
        const place = isAnywhere && isFit && late ? late : primary
        const results = await (place === primary ? askPrimary(asked) : askAt(place, asked))
        seen = Math.max(seen ?? 0, place.version)
        return results
      })
    return { ...toBase(ask), getBookmark: () => (seen === null ? null : toBookmark(seen)) }
  }
  return { ...toBase((asked) => trip(() => askPrimary(asked))), withSession }
}

function copy(file: DatabaseSync) {
  const made = new DatabaseSync(':memory:')
  made.deserialize(file.serialize())
  return made
}

const toBookmark = (version: number) => `${version.toString(16).padStart(8, '0')}-00000000-00000000-${'0'.repeat(32)}`

function toBase(ask: (asked: Asked[]) => Promise<unknown[]>) {
  const statement = (sql: string, values: never[]) => {
    const all = async () => (await ask([{ sql, values }]))[0]
    return { sql, values, bind: (...given: never[]) => statement(sql, given), all, run: all }
  }
  return { prepare: (sql: string) => statement(sql, []), batch: (statements: unknown[]) => ask(statements as Asked[]) }
}
