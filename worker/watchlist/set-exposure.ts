import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { watchedKinds } from '../domain/names/watch-item'
import type { WatchedKind } from '../domain/names/watch-item'
import { rewatch } from './rewatch'

export type Exposed = { kind: WatchedKind | 'inventory'; ids: number[] } | { kind: 'group'; label: string }

/** Null takes the word back. What is affected has its new due dates in the same batch. */
export async function setExposure(db: Db, org_id: number, exposed: Exposed, publicly_exposed: boolean | null) {
  const { kind } = exposed
  const [ids, label] = kind === 'group' ? [[0], exposed.label] : [exposed.ids, '']
  const items = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const write =
    publicly_exposed === null
      ? sql`DELETE FROM public_exposures WHERE org_id = ${org_id} AND kind = ${kind} AND label = ${label} AND item_id IN ${items}`
      : sql`INSERT INTO public_exposures(org_id, kind, item_id, label, is_exposed)
          SELECT ${org_id}, ${kind}, value, ${label}, ${Number(publicly_exposed)} FROM ${items} WHERE TRUE
          ON CONFLICT DO UPDATE SET is_exposed = excluded.is_exposed`
  const follow =
    kind === 'group' ? await followGroup(db, org_id, label) : rewatch(db, { org_id, kind, ids: exposed.ids })
  await db.$client.batch([statement(db, write), ...follow])
}

async function followGroup(db: Db, org_id: number, label: string) {
  const items = await db.all<{ kind: WatchedKind; item_id: number }>(
    sql`SELECT g.kind, g.item_id FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label = ${label}`,
  )
  return watchedKinds.flatMap((kind) => {
    const ids = items.filter((item) => item.kind === kind).map(({ item_id }) => item_id)
    return ids.length ? rewatch(db, { org_id, kind, ids }) : []
  })
}

export async function findGroupExposures(db: Db, org_id: number) {
  const rows = await db.all<{ label: string; is_exposed: number }>(
    sql`SELECT e.label, e.is_exposed FROM public_exposures e WHERE e.org_id = ${org_id} AND e.kind = 'group' ORDER BY e.label`,
  )
  return rows.map(({ label, is_exposed }) => ({ label, publicly_exposed: is_exposed === 1 }))
}
