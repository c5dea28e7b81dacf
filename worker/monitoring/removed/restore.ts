import { and, eq } from 'drizzle-orm'
import { readyAuditBy, type By } from '../../auth/audited-by'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { notFound } from '../../http/errors'
import { removedLists } from '../../schema/watchlist'
import { importRows } from '../import/import'
import { describeItems, isKept, lineHeader } from './lists'

/** Adds what was removed as an import of it would; items watched again already stay as they are. */
export async function restoreList(db: Db, key: string, by: By) {
  const { org_id } = by.actor
  const isList = and(isKept(org_id, by.now), eq(removedLists.key, key))
  const [parts, write] = await Promise.all([
    db.select().from(removedLists).where(isList).orderBy(removedLists.part),
    readyAuditBy(db, by),
  ])
  const [first] = parts
  if (!first) throw notFound('Removed list')
  const restored = { added: 0, changed: 0, already: 0, awaited: 0 }
  let pending_count = 0
  for (const { lines } of parts) {
    const rows = [lineHeader, ...(JSON.parse(lines) as string[][])]
    const reply = await importRows(db, rows, { mode: 'restore', dry_run: false, fixes: [] }, by)
    for (const name of ['added', 'changed', 'already', 'awaited'] as const) restored[name] += reply[name]
    pending_count = reply.pending_count
  }
  const forget = db.delete(removedLists).where(and(eq(removedLists.org_id, org_id), eq(removedLists.key, key)))
  const entry = { action: 'monitoring.restore' as const, target: describeItems(first.count), detail: restored }
  await write([statement(db, forget)], entry)
  return { status: 'success' as const, ...restored, pending_count }
}
