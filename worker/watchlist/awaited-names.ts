import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { JudgedKind } from '../domain/versions/verdict'
import type { WatchedKind } from '../domain/names/watch-item'

/** Names that are new here; `value` is how somebody would await one (domain/names/watch-item). */
export type Named = { kind: WatchedKind; first: string; second: string; value: string }

/** How the rows of a kind are found by the names `j` ([value, first, second]), and where they are watched. */
const items = {
  vendor: { from: sql`vendors i`, where: sql`i.name = j.value->>1` },
  product: { from: sql`products i`, where: sql`i.vendor = j.value->>1 AND i.name = j.value->>2` },
  package: { from: sql`packages i`, where: sql`i.type = j.value->>1 AND i.name = j.value->>2` },
  vuln: { from: sql`vulns i`, where: sql`i.cveid = j.value->>1` },
} satisfies Record<WatchedKind, { from: SQL; where: SQL }>
const kinds = Object.keys(items) as WatchedKind[]
const judged: readonly WatchedKind[] = ['product', 'package'] satisfies JudgedKind[]

/** For the batch that writes the names. */
export function watchAwaited(db: Db, named: Named[], at: string) {
  return kinds.flatMap((kind) => {
    const rows = named.filter((one) => one.kind === kind).map(({ value, first, second }) => [value, first, second])
    return jsonChunks(rows).flatMap((json) => watchKind(kind, json, at).map((template) => statement(db, template)))
  })
}

function watchKind(kind: WatchedKind, json: string, at: string): SQL[] {
  const { from, where } = items[kind]
  const name = sql.raw(kind)
  const waiting = sql`jsonb_each(${json}) j CROSS JOIN awaited_names w ON w.kind = '${name}' AND w.value = j.value->>0`
  const found = sql`${waiting} CROSS JOIN awaited a ON a.org_id = w.org_id AND a.kind = w.kind AND a.value = w.value
    CROSS JOIN ${from} ON ${where}`
  const columns = [
    ['org_id', sql`a.org_id`],
    [`${kind}_id`, sql`i.id`],
    ['groups', sql`a.groups`],
    ['created_at', sql`${at}`],
    ...(kind === 'product' ? [['is_monitored', sql`1`] as const] : []),
    ...(judged.includes(kind) ? [['versions', sql`a.versions`] as const] : []),
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
    ...(judged.includes(kind)
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
