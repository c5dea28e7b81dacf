import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import type { Write } from '../watchlist/set-monitored'
import { orTooManyMonitored } from '../watchlist/max-monitored'
import { writeMatching } from '../watchlist/match-due'
import { detailStatements, isJudged } from '../watchlist/set-details'
import type { Details, WatchItem } from '../watchlist/set-details'
import { requestComparisons, takeRuns } from './budget'
import { judgeNewVersions } from './versions'
import { noteWatched } from './watch-due'

/** The caller has looked whether the organization may know of the items. Answers how many of them wait for a step. */
export async function setDetails(
  db: Db,
  org_id: number,
  { kind, items, now }: Details,
  write: Write = (statements) => db.$client.batch(statements),
) {
  const { pending_count, statements } = await judgeRuns(db, org_id, kind, items)
  const matching = await writeMatching(db, org_id, [{ kind, ids: items.map(({ id }) => id) }], (matched) =>
    write([...detailStatements(db, org_id, { kind, items, now }), ...statements, ...matched]),
  ).catch(orTooManyMonitored)
  // Mostly the same items wait for both.
  return Math.max(pending_count, matching)
}

/** Judges what fits into a request, whether or not others run it; the statements note the other items for a step. */
export async function judgeRuns(db: Db, org_id: number, kind: WatchedKind, items: WatchItem[]) {
  const runs = items.flatMap(({ id, versions }) => (versions?.length ? [{ item_id: id, versions }] : []))
  if (!isJudged(kind) || !runs.length) return { pending_count: 0, statements: [] }
  const { taken, left } = await takeRuns(db, kind, runs, { limit: requestComparisons })
  await judgeNewVersions(db, kind, taken)
  const ids = left.map(({ item_id }) => item_id)
  return { pending_count: ids.length, statements: noteWatched(db, org_id, kind, ids) }
}
