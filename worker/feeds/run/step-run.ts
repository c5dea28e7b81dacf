import { eq, sql, type SQL } from 'drizzle-orm'
import { d1Limits } from '../../db/limits'
import type { Db } from '../../db/open'
import { paceFor } from '../../db/pace'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import type { Env } from '../../env'
import { findFresh, remergeVulns, saveRecords, type Alongside } from '../../merge/save-records'
import { StepSpent, type Commit, type StepRun } from '../source/feed'
import type { Skip } from '../source/read-records'
import { feedRuns } from '../../schema/feeds'
import { progress, stillHeld, type Claim } from './claim'

/** Up to these shares of an invocation's queries a step starts another piece of records, or other statements: the end of the source must still fit. */
const enough = { records: d1Limits.queries_per_invocation * 0.6, statements: d1Limits.queries_per_invocation * 0.9 }

type Claimed = { claim: Claim; cursor: unknown; origin: string; reread_since: string | undefined }

async function tellNews(env: Env, hasNews: boolean) {
  if (hasNews) await env.ALERTS.send({ reason: 'changes' })
}

const noteRun = (db: Db, { run_id }: Claim, counts: { changed?: SQL; rewritten?: SQL; total?: number }) =>
  statement(db, db.update(feedRuns).set(counts).where(eq(feedRuns.id, run_id)))

/** Writes in pieces, as fast as readers allow. Each piece carries the counts of the run, the last one the cursor. */
function paceWriter(env: Env, db: Db, { claim, cursor: stored }: Claimed, clock: () => Date) {
  const pace = paceFor(db)
  let written = { cursor: stored, isAny: false }
  let total: number | null = null
  const requireQueries = (limit: number) => {
    if (written.isAny && db.meter.queries > limit) throw new StepSpent()
  }
  const noteChanged = (changed: number, rewritten: number) =>
    changed
      ? [noteRun(db, claim, { changed: sql`changed + ${changed}`, rewritten: sql`rewritten + ${rewritten}` })]
      : []
  const advance = (cursor: unknown, read: number, skipped: Skip[]) => [
    ...progress(db, claim, { cursor, read, skipped, now: clock() }),
    ...(total === null ? [] : [noteRun(db, claim, { total })]),
  ]
  /** Writes items piece by piece, the cursor with the last. If it is cut short, the written pieces stay and are unchanged the next time. */
  async function inPieces<Item>(
    items: Item[],
    write: (piece: Item[], isLast: boolean, also: Alongside) => Promise<{ hasNews: boolean }>,
    end: Parameters<typeof advance>,
  ) {
    let hasNews = false
    for (let left = items; ;) {
      requireQueries(enough.records)
      const piece = left.slice(0, await pace.next(left.length))
      left = left.slice(piece.length)
      const isLast = !left.length
      const saved = await write(piece, isLast, (changed, rewritten) => [
        ...(isLast ? advance(...end) : [stillHeld(db, claim)]),
        ...noteChanged(changed, rewritten),
      ])
      written.isAny = true
      hasNews ||= saved.hasNews
      if (isLast) break
    }
    await tellNews(env, hasNews)
    setWritten(end[0])
  }
  const setWritten = (cursor: unknown) => void (written = { cursor, isAny: true })

  return {
    advance,
    inPieces,
    isShared: pace.isShared,
    lastCursor: () => written.cursor,
    noteChanged,
    requireQueries,
    setTotal: (count: number) => void (total = count),
    setWritten,
  }
}

/** The only way in which a step writes: it keeps the pace, and moves the cursor together with the records. */
export function stepRun(env: Env, db: Db, claimed: Claimed, clock: () => Date) {
  const { reread_since } = claimed
  const writer = paceWriter(env, db, claimed, clock)
  const run: StepRun<unknown> = {
    env,
    db,
    now: clock(),
    origin: claimed.origin,
    skipsHostile: false,
    isReread: reread_since !== undefined,
    setTotal: writer.setTotal,
    async commit(source, { records, withdrawn = [], skipped = [], read, is_backfill }: Commit, cursor) {
      // Most records are unchanged when read again: only the fresh ones are cut into pieces.
      const fresh = writer.isShared() ? await findFresh(db, source, records, clock()) : records
      await writer.inPieces(
        fresh,
        (piece, isLast, also) => {
          const how = { now: clock(), reread_since, is_backfill: is_backfill && reread_since === undefined }
          return saveRecords(db, { source, records: piece, withdrawn: isLast ? withdrawn : [], ...how }, also)
        },
        [cursor, read, skipped],
      )
    },
    async remerge(cveids, cursor) {
      await writer.inPieces(
        cveids,
        (piece, _, also) =>
          remergeVulns(db, piece, { now: clock(), is_backfill: false, reread_since: stamp(clock()) }, also),
        [cursor, cveids.length, []],
      )
    },
    async write(
      { counted = [], listed = [], more = [], hasNews = false, isRewrite = false },
      cursor,
      { read, skipped } = { read: 0, skipped: [] },
    ) {
      writer.requireQueries(enough.statements)
      const results = await db.$client.batch([...counted, ...listed, ...more, ...writer.advance(cursor, read, skipped)])
      writer.setWritten(cursor)
      const changes = results.slice(0, counted.length).reduce((sum, { meta }) => sum + meta.changes, 0)
      const returned = results.slice(counted.length, counted.length + listed.length)
      const changed = changes + returned.reduce((sum, result) => sum + result.results.length, 0)
      if (changed) await db.$client.batch(writer.noteChanged(changed, isRewrite ? changed : 0))
      await tellNews(env, hasNews)
    },
  }
  return { run, lastCursor: writer.lastCursor }
}
