import { sql } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import type { WatchedKind } from '../domain/names/watch-item'
import { pageOffset, type Paging } from '../http/page'
import { parseList } from '../watchlist/item-tables'
import { writeRemoving } from './removed/lists'

type Row = { kind: WatchedKind; value: string; groups: string | null; versions: string | null; created_at: string }

export async function findAwaited(db: Db, org_id: number, page: Paging) {
  const [rows, [counted]] = await Promise.all([
    db.all<Row>(sql`SELECT kind, value, groups, versions, created_at FROM awaited WHERE org_id = ${org_id}
      ORDER BY kind, value LIMIT ${page.limit} OFFSET ${pageOffset(page)}`),
    db.all<{ count: number }>(sql`SELECT count(*) AS count FROM awaited WHERE org_id = ${org_id}`),
  ])
  const results = rows.map(({ groups, versions, ...row }) => ({
    ...row,
    groups: parseList(groups),
    versions: parseList(versions),
  }))
  return { count: counted?.count ?? 0, results }
}

export async function stopAwaiting(db: Db, { kind, value }: { kind: WatchedKind; value: string }, by: By) {
  const own = sql`org_id = ${by.actor.org_id} AND kind = ${kind} AND value = ${value}`
  const [awaited, write] = await Promise.all([db.all(sql`SELECT 1 FROM awaited WHERE ${own}`), readyAuditBy(db, by)])
  const statements = [sql`DELETE FROM awaited WHERE ${own}`, sql`DELETE FROM awaited_names WHERE ${own}`]
  await writeRemoving(
    db,
    { gone: awaited.length > 0 ? [[kind, value]] : [], write },
    by,
    statements.map((template) => statement(db, template)),
  )
}
