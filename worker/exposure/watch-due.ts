import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { judgedKinds, type JudgedKind } from '../domain/versions/verdict'
import { watchedPlace } from '../schema/inventories'
import { rewatchItems, writeMatching } from '../watchlist/match-due'
import { rewatch } from '../watchlist/rewatch'
import { removeStats, detailStatements, orTooManyMonitored } from '../watchlist/set-details'
import { isJudged } from '../watchlist/item-tables'
import { takeRuns, turnComparisons, requestComparisons } from './budget'
import { anyVuln, noteDue } from './note-due'
import { noteVersions, writeVerdicts, judgeNewVersions, type Run } from './versions'
import type { WatchedKind } from '../domain/names/watch-item'
import type { Write } from '../watchlist/set-monitored'
import type { Details, WatchItem } from '../watchlist/set-details'

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

/** Watched items that are looked at for a turn. */
const chunkItems = 250

/** For the batch that writes their versions: a step judges them. */
export const noteWatched = (db: Db, org_id: number, kind: JudgedKind, ids: number[]) =>
  noteDue(
    db,
    { org_id, inventory_id: watchedPlace[kind] },
    ids.map((id) => [id, anyVuln]),
  )

type Row = { item_id: number; versions: string | null }

/**
 * Judges the versions of watched items that a request left, as many as fit into a turn, and answers how much it compared: 0 where
 * nothing waits. Versions that others had judged already are judged all the same, so that no delay tells what they run.
 */
export async function judgeWatched(db: Db, org_id: number) {
  const [first] = await db.all<{ place: number }>(
    sql`SELECT inventory_id AS place FROM inventory_due WHERE org_id = ${org_id} AND inventory_id IN (${watchedPlace.package}, ${watchedPlace.product}) ORDER BY 1 LIMIT 1`,
  )
  const kind = judgedKinds.find((judgedKind) => watchedPlace[judgedKind] === first?.place)
  if (!kind) return 0
  const [table, id] = [sql.raw(`monitored_${kind}s`), sql.raw(`${kind}_id`)]
  const rows = await db.all<Row>(sql`
    SELECT d.component_id AS item_id, m.versions FROM inventory_due d LEFT JOIN ${table} m ON m.org_id = d.org_id AND m.${id} = d.component_id
    WHERE d.org_id = ${org_id} AND d.inventory_id = ${watchedPlace[kind]} ORDER BY 1 LIMIT ${chunkItems}`)
  const runs = rows.flatMap(({ item_id, versions }): Run[] =>
    versions === null ? [] : [{ item_id, versions: JSON.parse(versions) as string[] }],
  )
  const { taken, left, compared } = await takeRuns(db, kind, runs, { limit: turnComparisons, least: 1 })
  const waiting = new Set(left.map(({ item_id }) => item_id))
  const done = rows.filter(({ item_id }) => !waiting.has(item_id))
  await writeVerdicts(db, kind, taken, {
    follow: (vuln_ids) => [
      ...noteVersions(db, kind, taken),
      // Versions that were set meanwhile are judged in the next turn.
      ...bulk(
        db,
        `DELETE FROM inventory_due WHERE (org_id, inventory_id, component_id) IN (SELECT ?2, ?3, j.value->>0 FROM jsonb_each(?1) j
           LEFT JOIN monitored_${kind}s m ON m.org_id = ?2 AND m.${kind}_id = j.value->>0 WHERE m.versions IS j.value->>1)`,
        done.map(({ item_id, versions }) => [item_id, versions]),
        org_id,
        watchedPlace[kind],
      ),
      ...rewatch(db, { vuln_ids }),
      ...rewatchItems(db, { org_id, kind, ids: done.map(({ item_id }) => item_id) }),
      statement(db, removeStats(org_id)),
    ],
  })
  return Math.max(1, Math.round(compared))
}
