import { sql, type SQL } from 'drizzle-orm'
import { jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { literal, pairsTable } from '../db/values'
import { matchedPlace } from '../schema/inventories'
import { itemTables } from './item-tables'
import { rewatch } from './rewatch'
import { removeStats } from './set-details'

type Kind = keyof typeof matchedPlace

/** So many vulnerabilities a batch looks at for changed items, as all others wait for it: some 50 ms. */
const atOnce = 2_000
const maxIds = 100_000

const byLinks = (kind: 'vendor' | 'product' | 'package') => ({
  items: `${kind}s`,
  size: 'i.vulns_count',
  links: (ids: SQL) => sql`${itemTables[kind].links} l WHERE l.${itemTables[kind].id} IN (${ids})`,
})

/** Of an item `i`: the table, about how many vulnerabilities it has, and the links to them of a select of ids. */
const sources: Record<Kind, { items: string; size: string; links: (ids: SQL, org_id: number) => SQL }> = {
  vendor: byLinks('vendor'),
  product: byLinks('product'),
  package: byLinks('package'),
  vuln: {
    items: 'vulns',
    size: '1',
    links: (ids) => sql`(SELECT id AS vuln_id FROM vulns WHERE id IN (${ids})) l WHERE TRUE`,
  },
  inventory: {
    items: 'inventories',
    size: 'i.findings_count',
    links: (ids, org_id) => sql`inventory_findings l WHERE l.org_id = ${org_id} AND l.inventory_id IN (${ids})`,
  },
}
/** Numbers of inventories are an organization's own. */
const isItem = (kind: Kind, org_id: number, id: SQL) =>
  kind === 'inventory' ? sql`i.org_id = ${org_id} AND i.id = ${id}` : sql`i.id = ${id}`

export type Items = { org_id: number; kind: Kind; ids: number[] }

/**
 * Belongs in the batch that changes items, behind the change: those with few vulnerabilities are matched in it. For each of the others a row
 * stands, of which steps take their turns (`exposure/judge-due`).
 */
export const rewatchItems = (db: Db, { org_id, kind, ids }: Items) =>
  jsonChunks(ids, maxIds).flatMap((json) => {
    const { items, size, links } = sources[kind]
    const place = literal(matchedPlace[kind])
    const sized = sql`(SELECT j.value AS id, sum(coalesce(${sql.raw(size)}, 0)) OVER (ORDER BY coalesce(${sql.raw(size)}, 0), j.value ROWS UNBOUNDED PRECEDING) AS total
      FROM jsonb_each(${json}) j LEFT JOIN ${sql.raw(items)} i ON ${isItem(kind, org_id, sql`j.value`)})`
    return [
      statement(
        db,
        sql`INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id) SELECT ${org_id}, ${place}, id, 0 FROM ${sized}
          WHERE total > ${literal(atOnce)} ON CONFLICT DO UPDATE SET noted = 0`,
      ),
      ...rewatch(db, {
        org_id,
        vulns: sql`SELECT l.vuln_id FROM ${links(sql`SELECT s.id FROM ${sized} s WHERE s.total <= ${literal(atOnce)}`, org_id)}`,
      }),
    ]
  })

/** Rows behind it wait for verdicts. */
export const lastMatched = literal(Math.max(...Object.values(matchedPlace)))
const isMatching = (org_id: SQL) => sql`d.org_id = ${org_id} AND d.inventory_id <= ${lastMatched}`

/** Of an organization, not all of whose items have their vulnerabilities in `org_vulns` yet. */
const isBeingMatched = (org_id: SQL) => sql`EXISTS (SELECT 1 FROM inventory_due d WHERE ${isMatching(org_id)})`

/** So long reports and due days wait until the items of their organization are matched. */
const matchedWithin_s = 600

export const isMatchedOrLate = (org_id: SQL, due_at: SQL, now: Date) =>
  sql`(${due_at} <= ${stamp(plusSeconds(now, -matchedWithin_s))} OR NOT ${isBeingMatched(org_id)})`

/** How many of its items wait. */
export const countMatching = (org_id: number) =>
  sql`SELECT count(*) AS matching_count FROM inventory_due d WHERE ${isMatching(sql`${org_id}`)}`

type Changed = Omit<Items, 'org_id'>[]
type WriteMatched = (matched: D1PreparedStatement[]) => Promise<D1Result[]>

/** `write` puts the statements behind the change. Answers how many items of the organization wait for steps by then. */
export async function writeMatching(db: Db, org_id: number, changed: Changed, write: WriteMatched) {
  const matched = changed.flatMap((one) => rewatchItems(db, { org_id, ...one }))
  const results = await write([...matched, statement(db, countMatching(org_id))])
  const rows = results.flatMap((one) => one.results as { matching_count?: number }[])
  return rows.find(({ matching_count }) => matching_count !== undefined)?.matching_count ?? 0
}

type Row = { place: number; item_id: number; after: number; size: number }

/** Matches as many items as fit into a turn, of a large one a part, and answers with about how many vulnerabilities: 0 where none waits. */
export async function matchItems(db: Db, org_id: number) {
  const [first] = await db.all<{ place: number }>(
    sql`SELECT d.inventory_id AS place FROM inventory_due d WHERE ${isMatching(sql`${org_id}`)} ORDER BY 1 LIMIT 1`,
  )
  const kind = (Object.keys(matchedPlace) as Kind[]).find((one) => matchedPlace[one] === first?.place)
  if (!kind) return 0
  const { items, size, links } = sources[kind]
  const place = literal(matchedPlace[kind])
  const rows = await db.all<Row>(sql`
    SELECT d.component_id AS item_id, d.noted AS after, coalesce(${sql.raw(size)}, 0) AS size FROM inventory_due d
    LEFT JOIN ${sql.raw(items)} i ON ${isItem(kind, org_id, sql`d.component_id`)}
    WHERE d.org_id = ${org_id} AND d.inventory_id = ${place} ORDER BY 3, 1 LIMIT ${literal(atOnce)}`)
  let left = atOnce
  const taken = rows.filter((row, at) => (left -= row.size) >= 0 || at === 0)
  const linked = links(sql`SELECT value FROM json_each(${JSON.stringify(taken.map(({ item_id }) => item_id))})`, org_id)
  const after = Math.min(...taken.map((row) => row.after))
  const found = await db.all<{ to: number; count: number }>(sql`SELECT max(vuln_id) AS "to", count(*) AS count FROM (
    SELECT DISTINCT l.vuln_id FROM ${linked} AND l.vuln_id > ${after} ORDER BY 1 LIMIT ${literal(atOnce)})`)
  const { to = 0, count = 0 } = found[0] ?? {}
  const isPart = count === atOnce
  const read = pairsTable(taken.map((row) => [row.item_id, row.after]))
  const isRead = sql`org_id = ${org_id} AND inventory_id = ${place} AND (component_id, noted) IN ${read}`
  await db.$client.batch([
    // Of what was changed anew meanwhile the row stays.
    statement(
      db,
      isPart
        ? sql`UPDATE inventory_due SET noted = ${to} WHERE ${isRead}`
        : sql`DELETE FROM inventory_due WHERE ${isRead}`,
    ),
    ...rewatch(db, {
      org_id,
      vulns: sql`SELECT l.vuln_id FROM ${linked} AND l.vuln_id > ${after} AND l.vuln_id <= ${isPart ? to : Number.MAX_SAFE_INTEGER}`,
    }),
    statement(db, removeStats(org_id)),
  ])
  return Math.max(1, count)
}
