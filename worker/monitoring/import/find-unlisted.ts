import { sql } from 'drizzle-orm'
import { readAll } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { watchedKinds } from '../../domain/names/watch-item'
import type { WatchedKind } from '../../domain/names/watch-item'
import { itemTables } from '../../watchlist/item-tables'
import type { ImportReply } from '../contract'
import type { ImportPlan, PlanMode } from './plan'
import type { Resolved } from './resolve'

/** So many are told of; the numbers tell of all. */
const maxListed = 500

/** The first items that a replacing list takes off without a line of their own. */
export async function findUnlisted(
  db: Db,
  mode: PlanMode,
  plan: ImportPlan,
  lines: Resolved[],
): Promise<ImportReply['unlisted']> {
  if (mode !== 'sync') return []
  const named = new Set(lines.map(({ wanted, id }) => `${wanted.kind} ${id}`))
  const statements = watchedKinds.flatMap((kind) => {
    const ids = plan.removed[kind].filter((id) => !named.has(`${kind} ${id}`)).slice(0, maxListed)
    return ids.length ? [statement(db, selectNames(kind, JSON.stringify(ids)))] : []
  })
  const items = await readAll<{ type: WatchedKind; value: string }>(db, statements)
  const awaited = plan.forgotten.map(({ kind, value }) => ({ type: kind, value }))
  return [...items, ...awaited].slice(0, maxListed)
}

const selectNames = (kind: WatchedKind, json: string) =>
  sql`SELECT ${kind} AS type, ${itemTables[kind].value} AS value FROM jsonb_each(${json}) j CROSS JOIN ${sql.raw(`${kind}s`)} i ON i.id = j.value ORDER BY value`
