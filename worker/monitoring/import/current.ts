import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { byKind, watchedKinds, type WatchedKind } from '../../domain/names/watch-item'
import { itemTables, parseList } from '../../watchlist/item-tables'

/** Watched items of an organization; a product that is taken out of its vendor is there and not monitored. */
type Current = { id: number; monitored: boolean; groups: string[]; versions: string[] }
export type Watchlist = {
  items: Record<WatchedKind, Map<number, Current>>
  /** By kind and value. */
  awaited: Map<string, { kind: WatchedKind; value: string; groups: string[]; versions: string[] }>
  /** Vendors of products, which tells what a product follows. */
  vendors: Map<number, number>
  /** Its words on items themselves, by kind and id. */
  exposures: Map<string, boolean>
}

type Row = { id: number; is_monitored: number; groups: string | null; versions: string | null }
type ExposureRow = { kind: string; item_id: number; is_exposed: number }
type AwaitedRow = { kind: WatchedKind; value: string; groups: string | null; versions: string | null }

export async function findWatchlist(db: Db, org_id: number): Promise<Omit<Watchlist, 'vendors'>> {
  const answers = await db.$client.batch<Record<string, unknown>>([
    ...watchedKinds.map((kind) =>
      statement(
        db,
        sql`SELECT m.${itemTables[kind].id} AS id, ${itemTables[kind].isOn} AS is_monitored, m.groups, ${itemTables[kind].versions} AS versions
          FROM ${itemTables[kind].watched} m WHERE m.org_id = ${org_id}`,
      ),
    ),
    statement(db, sql`SELECT kind, value, groups, versions FROM awaited WHERE org_id = ${org_id}`),
    statement(db, sql`SELECT kind, item_id, is_exposed FROM public_exposures WHERE org_id = ${org_id} AND label = ''`),
  ])
  const readItems = (kind: WatchedKind) =>
    new Map(((answers[watchedKinds.indexOf(kind)]?.results ?? []) as Row[]).map((row) => [row.id, toCurrent(row)]))
  const awaited = (answers[watchedKinds.length]?.results ?? []) as AwaitedRow[]
  const exposures = (answers[watchedKinds.length + 1]?.results ?? []) as ExposureRow[]
  return {
    items: byKind(readItems),
    awaited: new Map(
      awaited.map(({ kind, value, groups, versions }) => [
        `${kind} ${value}`,
        { kind, value, groups: parseList(groups), versions: parseList(versions) },
      ]),
    ),
    exposures: new Map(exposures.map(({ kind, item_id, is_exposed }) => [`${kind} ${item_id}`, is_exposed === 1])),
  }
}

const toCurrent = ({ id, is_monitored, groups, versions }: Row): Current => ({
  id,
  monitored: is_monitored === 1,
  groups: parseList(groups),
  versions: parseList(versions),
})
