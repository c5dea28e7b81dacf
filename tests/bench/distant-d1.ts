import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { asSessions, isReading, type AskedStatement } from '../support/d1-sessions.ts'
import { asD1 } from '../support/sqlite-d1.ts'

/** How far it is to the primary, and to a copy if there is one; a write is known there so much later, by turns. */
export type Distance = { primary_ms: number; copy_ms?: number; lags_ms: number[] }

/**
 * D1 on SQLite in this process, as a Worker waits for it: each trip takes its way, and a copy answers once it knows what the bookmark
 * stands for. Its answers are those of the primary; late copies are tried in tests/worker.
 */
export function distantD1(file: DatabaseSync, { primary_ms, copy_ms, lags_ms }: Distance) {
  const plain = asD1(file)
  /** When the copy knows each write. */
  const known_ms: number[] = []

  const askPrimary = async (asked: AskedStatement[]) => {
    await sleep(primary_ms)
    const results = await plain.ask(asked)
    const lag_ms = lags_ms[known_ms.length % lags_ms.length] ?? 0
    if (!asked.every(isReading)) known_ms.push(performance.now() + lag_ms)
    return { results, at: known_ms.length }
  }
  const askCopy = async (asked: AskedStatement[], ms: number, seen: number) => {
    await sleep(ms + Math.max(0, (known_ms[seen - 1] ?? 0) - performance.now()))
    const results = await plain.ask(asked)
    return {
      results: results.map((result) => ({ ...(result as object), meta: { served_by_primary: false } })),
      at: seen,
    }
  }
  /** As after a while in which nobody wrote. */
  const untilKnown = () => sleep(Math.max(0, ...known_ms.map((at) => at - performance.now())))
  const sessions = asSessions((asked, session) =>
    session?.isAnywhere && copy_ms !== undefined ? askCopy(asked, copy_ms, session.seen ?? 0) : askPrimary(asked),
  )
  return { ...sessions, untilKnown }
}
