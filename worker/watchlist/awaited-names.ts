import { sql, type SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { watchedKinds, type WatchedKind } from '../domain/names/watch-item'
import { isJudged, itemTables } from './item-tables'

/** Names that are new here; `value` is how somebody would await one (domain/names/watch-item). */
export type Named = { kind: WatchedKind; first: string; second: string; value: string }

/** For the batch that writes the names. */
export function watchAwaited(db: Db, named: Named[], at: string) {
  return watchedKinds.flatMap((kind) => {
    const rows = named.filter((one) => one.kind === kind).map(({ value, first, second }) => [value, first, second])
    return jsonChunks(rows).flatMap((json) => watchKind(kind, json, at).map((template) => statement(db, template)))
  })
}

function watchKind(kind: WatchedKind, json: string, at: string): SQL[] {
  const { items, isNamed } = itemTables[kind]
  const name = sql.raw(kind)
  const waiting = sql`jsonb_each(${json}) j CROSS JOIN awaited_names w ON w.kind = '${name}' AND w.value = j.value->>0`
  const found = sql`${waiting} CROSS JOIN awaited a ON a.org_id = w.org_id AND a.kind = w.kind AND a.value = w.value
    CROSS JOIN ${items} i ON ${isNamed}`
  const columns = [
    ['org_id', sql`a.org_id`],
    [`${kind}_id`, sql`i.id`],
    ['groups', sql`a.groups`],
    ['created_at', sql`${at}`],
    ...(kind === 'product' ? [['is_monitored', sql`1`] as const] : []),
    ...(isJudged(kind) ? [['versions', sql`a.versions`] as const] : []),
  ] as const
  const names = sql.raw(columns.map(([column]) => column).join(', '))
  const values = sql.join(
    columns.map(([, value]) => value),
    sql`, `,
  )
  return [
    sql`INSERT INTO monitored_${name}s(${names}) SELECT ${values} FROM ${found} WHERE TRUE ON CONFLICT DO NOTHING`,
    sql`INSERT INTO watch_groups(org_id, label, kind, item_id)
      SELECT a.org_id, g.value, '${name}', i.id FROM ${found} CROSS JOIN json_each(a.groups) g WHERE TRUE ON CONFLICT DO NOTHING`,
    // A version that is not judged yet is unknown; from now on it is judged when ranges change.
    ...(isJudged(kind)
      ? [
          sql`INSERT INTO judged_versions(kind, item_id, version)
            SELECT '${name}', i.id, n.value FROM ${found} CROSS JOIN json_each(a.versions) n WHERE TRUE ON CONFLICT DO NOTHING`,
        ]
      : []),
    sql`DELETE FROM org_stats WHERE org_id IN (SELECT w.org_id FROM ${waiting})`,
    sql`DELETE FROM awaited WHERE kind = '${name}' AND (org_id, value) IN (SELECT w.org_id, w.value FROM ${waiting})`,
    sql`DELETE FROM awaited_names WHERE kind = '${name}' AND value IN (SELECT j.value->>0 FROM jsonb_each(${json}) j)`,
  ]
}
