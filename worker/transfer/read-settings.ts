import { and, eq, sql } from 'drizzle-orm'
import { listStoredChannels } from '../alerts/channels/rows'
import { getSettings } from '../alerts/settings/settings'
import type { Db } from '../db/open'
import { findDuePolicy } from '../decisions/due-policy'
import { findDecisionSettings } from '../decisions/requests'
import type { Actor } from '../domain/people/access'
import { isLive } from '../inventories/inventory'
import { inventories } from '../schema/inventories'
import { savedViews } from '../schema/views'
import { findViews } from '../views/queries'
import { records, reportFields, type WrittenRecord } from './records'

/** Of views those that the exporter sees: nobody takes a colleague's private ones along. */
export async function* readSettings(db: Db, actor: Actor): AsyncGenerator<WrittenRecord[]> {
  const { org_id } = actor
  const views = await findViews(db, actor)
  yield (await nameItems(db, views)).map(({ name, query, is_shared }) => ({
    kind: 'view' as const,
    name,
    query,
    is_shared,
  }))
  yield await readRules(db, org_id)
  yield [await readSettingsRecord(db, org_id)]
}

export async function readSettingsRecord(db: Db, org_id: number) {
  const [reports, { remaking: _, ...due }, { needs_approver }] = [
    await getSettings(db, org_id),
    await findDuePolicy(db, org_id),
    await findDecisionSettings(db, org_id),
  ]
  const picked = Object.keys(reportFields) as (keyof typeof reportFields)[]
  return {
    kind: 'settings' as const,
    reports: Object.fromEntries(picked.map((field) => [field, reports[field]])),
    due,
    needs_approver,
  }
}

export async function readRules(db: Db, org_id: number) {
  const names = await findRuleNames(db, org_id)
  const rows = await listStoredChannels(db, org_id)
  return rows.map(({ inventories: inventory_ids, views, min_score, ...row }) => ({
    kind: 'rules' as const,
    ...records.rules.parse({
      ...row,
      min_score: min_score ?? 0,
      inventories: inventory_ids.flatMap((id) => names.inventories.get(id) ?? []),
      views: views.flatMap((id) => names.views.get(id) ?? []),
    }),
  }))
}

/** By the number of what a rule may name. */
export async function findRuleNames(db: Db, org_id: number) {
  const [known, shared] = await db.batch([
    db.select({ id: inventories.id, name: inventories.name }).from(inventories).where(isLive(org_id)),
    db
      .select({ id: savedViews.id, name: savedViews.name })
      .from(savedViews)
      .where(and(eq(savedViews.org_id, org_id), eq(savedViews.is_shared, true))),
  ])
  return {
    inventories: new Map(known.map(({ id, name }) => [id, name])),
    views: new Map(shared.map(({ id, name }) => [id, name])),
  }
}

const itemNames = {
  vendor: sql`SELECT id, name FROM vendors`,
  product: sql`SELECT id, vendor || ':' || name AS name FROM products`,
  package: sql`SELECT id, type || ':' || name AS name FROM packages`,
}

/** A number of an item means another one elsewhere: its name takes its place. */
async function nameItems<View extends { query: string }>(db: Db, views: View[]): Promise<View[]> {
  const named = views.map((view) => ({ ...view, params: new URLSearchParams(view.query) }))
  for (const [param, select] of Object.entries(itemNames)) {
    const ids = JSON.stringify(named.flatMap(({ params }) => params.get(param) ?? []))
    const found = await db.all<{ id: number; name: string }>(
      sql`${select} WHERE id IN (SELECT value FROM json_each(${ids}))`,
    )
    const names = new Map(found.map(({ id, name }) => [String(id), name]))
    for (const view of named) {
      const name = names.get(view.params.get(param) ?? '')
      if (name === undefined) continue
      view.params.delete(param)
      view.params.set(`${param}_name__exact`, name)
      view.query = view.params.toString()
    }
  }
  return named
}
