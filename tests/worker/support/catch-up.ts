import { openDb } from '../../../worker/db/open'
import { rewatch } from '../../../worker/watchlist/rewatch'
import { rows } from './org'
import type { World } from './world'

/** Writes what searches read of rows that were inserted by SQL; no trigger does. */
export const textsOfRows = [
  'insert or replace into exploits_fts(rowid, link, notes) select id, link, notes from exploits where org_id is null',
  `insert or replace into own_vulns_fts(rowid, owner, cveid, summary, keywords) select id, 'org' || org_id, cveid, summary, keywords from vulns where org_id is not null`,
  'insert or replace into bulletins_fts(rowid, publicid, vendor, title) select id, publicid, vendor, title from bulletins',
]

/** For tests that insert rows by SQL: writes the rows that the product would have derived from them. */
export async function catchUp(world: World, of?: number[]) {
  for (const sql of textsOfRows) await rows(world.env, sql)
  const vuln_ids = of ?? (await world.sql<{ id: number }>`select id from vulns`).map(({ id }) => id)
  const db = openDb(world.env)
  if (vuln_ids.length) await db.$client.batch(rewatch(db, { vuln_ids }))
}
