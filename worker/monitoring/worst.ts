import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import type { WatchedKind } from '../domain/names/watch-item'
import { isSettled } from '../schema/decisions'
import { isProvisional, shared } from '../schema/vulns'
import type { MonitoredItem } from './contract'

export type Worst = Pick<MonitoredItem, 'worst' | 'is_pending'>
type Top = [vuln_id: number, score: number, is_provisional: number][]

/** The table keeps so many of the highest scores of each item: mostly one of them is open. */
const topSize = 5
/** An item with more vulnerabilities is found from the highest scores of all. */
const maxRead = 2_000
/** So many rows are read at most for items that must be counted anew; the others wait for the next question. */
const maxRows = 12_000

const links = {
  vendor: { table: 'vendors', links: sql`vuln_products`, id: sql`vendor_id` },
  product: { table: 'products', links: sql`vuln_products`, id: sql`product_id` },
  package: { table: 'packages', links: sql`vuln_packages`, id: sql`package_id` },
}
type Linked = keyof typeof links

export async function findWorst(db: Db, org_id: number, kind: WatchedKind, ids: number[]): Promise<Map<number, Worst>> {
  if (!ids.length) return new Map()
  if (kind === 'vuln') return findOwnScores(db, org_id, ids)
  const [tops, own] = await Promise.all([findTops(db, kind, ids), findOwnWorst(db, org_id, kind, ids)])
  const known = [...tops.values()].flatMap(({ top }) => top)
  const open = await findOpen(
    db,
    org_id,
    [...known, ...[...own.values()].flat()].map(([id]) => id),
  )
  const firstOpen = (id: number) =>
    [...(tops.get(id)?.top ?? []), ...(own.get(id) ?? [])]
      .toSorted(([, a], [, b]) => b - a)
      .find(([vuln_id]) => open.has(vuln_id))
  const isCut = (id: number) => tops.get(id)?.top.length === topSize && !firstOpen(id)
  const below = await findBelow(
    db,
    org_id,
    kind,
    ids.filter((id) => isCut(id) && (tops.get(id)?.count ?? 0) <= maxBelow),
  )
  return new Map(
    ids.map((id) => {
      const found = firstOpen(id)
      const last = tops.get(id)?.top.at(-1)
      const is_pending = !tops.has(id)
      if (found) {
        const [vuln_id, score, is_provisional] = found
        return [
          id,
          { worst: { id: vuln_id, score, is_exact: true, is_score_provisional: is_provisional === 1 }, is_pending },
        ]
      }
      const isUnread = isCut(id) && !below.has(id)
      if (isUnread && last)
        return [id, { worst: { id: null, score: last[1], is_exact: false, is_score_provisional: false }, is_pending }]
      return [id, { worst: below.get(id) ?? null, is_pending }]
    }),
  )
}

/** An item with so many vulnerabilities has all of them looked at where none of the highest is open: its versions are safe from these. */
const maxBelow = 100

/** The highest score of each that is open; null where none is. */
async function findBelow(db: Db, org_id: number, kind: Linked, ids: number[]): Promise<Map<number, Worst['worst']>> {
  if (!ids.length) return new Map()
  const { links: from, id } = links[kind]
  const rows = await db.all<{ item: number; id: number | null; score: number; is_provisional: number }>(sql`
    SELECT p.item, v.id, v.score, ${isProvisional} AS is_provisional FROM (
      SELECT j.item, (SELECT v.id FROM ${from} l CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = l.vuln_id
          CROSS JOIN vulns v ON v.id = l.vuln_id AND v.state <> 'rejected' AND v.score IS NOT NULL
        WHERE l.${id} = j.item AND l.org_id IS NULL AND NOT ${isSettled(sql`${org_id}`, sql`l.vuln_id`)}
        ORDER BY v.score DESC LIMIT 1) AS first
      FROM ${valuesTable(ids)} j) p LEFT JOIN vulns v ON v.id = p.first`)
  return new Map(
    rows.map(({ item, id: vuln_id, score, is_provisional }) => [
      item,
      vuln_id === null ? null : { id: vuln_id, score, is_exact: true, is_score_provisional: is_provisional === 1 },
    ]),
  )
}

async function findOwnScores(db: Db, org_id: number, ids: number[]): Promise<Map<number, Worst>> {
  const [rows, open] = await Promise.all([
    db.all<{ id: number; score: number; is_provisional: number }>(
      sql`SELECT v.id, v.score, ${isProvisional} AS is_provisional FROM ${valuesTable(ids)} j CROSS JOIN vulns v ON v.id = j.item WHERE v.score IS NOT NULL`,
    ),
    findOpen(db, org_id, ids),
  ])
  return new Map(
    rows
      .filter(({ id }) => open.has(id))
      .map(({ id, score, is_provisional }) => {
        const worst = { id, score, is_exact: true, is_score_provisional: is_provisional === 1 }
        return [id, { worst, is_pending: false }]
      }),
  )
}

/** Those that concern the organization and are neither fixed nor without interest. */
async function findOpen(db: Db, org_id: number, ids: number[]) {
  const rows = await db.all<{ id: number }>(sql`
    SELECT j.item AS id FROM ${valuesTable([...new Set(ids)])} j
    WHERE EXISTS (SELECT 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = j.item)
      AND NOT ${isSettled(sql`${org_id}`, sql`j.item`)}`)
  return new Set(rows.map(({ id }) => id))
}

type Stored = { id: number; vulns_count: number; touched: number | null; made_of: string | null; worst: string | null }

/** What is kept of an item, while its vulnerabilities are those of then; else it is read anew. */
async function findTops(db: Db, kind: Linked, ids: number[]): Promise<Map<number, { top: Top; count: number }>> {
  const { table, links: from, id } = links[kind]
  const rows = await db.all<Stored>(sql`
    SELECT i.id, i.vulns_count, w.made_of, w.worst,
      (SELECT l.touched FROM ${from} l WHERE l.${id} = i.id AND l.org_id IS NULL ORDER BY l.touched DESC LIMIT 1) AS touched
    FROM ${valuesTable(ids)} j CROSS JOIN ${sql.raw(table)} i ON i.id = j.item LEFT JOIN item_worst w ON w.kind = ${kind} AND w.item_id = i.id`)
  const hour = new Date().toISOString().slice(0, 13)
  const tops = new Map<number, { top: Top; count: number }>()
  const fresh: [id: number, made_of: string, worst: string][] = []
  let left = maxRows
  for (const { id: item_id, vulns_count, touched, made_of, worst } of rows) {
    const now = `${vulns_count}:${touched ?? 0}:${hour}`
    if (made_of === now && worst !== null) tops.set(item_id, { top: JSON.parse(worst) as Top, count: vulns_count })
    else if (left > 0) {
      left -= Math.min(2 * vulns_count, maxRead * 2) + 1
      const top = await readTop(db, kind, { item_id, vulns_count })
      tops.set(item_id, { top, count: vulns_count })
      fresh.push([item_id, now, JSON.stringify(top)])
    }
  }
  if (fresh.length)
    await db.run(sql`INSERT INTO item_worst(kind, item_id, made_of, worst)
      SELECT ${kind}, value->>0, value->>1, value->>2 FROM json_each(${JSON.stringify(fresh)}) WHERE TRUE
      ON CONFLICT DO UPDATE SET made_of = excluded.made_of, worst = excluded.worst`)
  return tops
}

async function readTop(
  db: Db,
  kind: Linked,
  { item_id, vulns_count }: { item_id: number; vulns_count: number },
): Promise<Top> {
  const { links: from, id } = links[kind]
  // The plus sign keeps it from reading all links of the item for each vulnerability.
  const has = sql`EXISTS (SELECT 1 FROM ${from} l WHERE l.vuln_id = v.id AND +l.${id} = ${item_id})`
  const columns = sql`v.id, v.score, ${isProvisional}`
  const rows: SQL =
    vulns_count <= maxRead
      ? sql`SELECT DISTINCT ${columns} FROM ${from} l CROSS JOIN vulns v ON v.id = l.vuln_id
          WHERE l.${id} = ${item_id} AND l.org_id IS NULL AND v.score IS NOT NULL AND v.state <> 'rejected'`
      : sql`SELECT ${columns} FROM vulns v INDEXED BY vulns_by_score WHERE ${shared} AND v.score IS NOT NULL AND ${has}`
  return db.values<Top[number]>(sql`${rows} ORDER BY v.score DESC LIMIT ${topSize}`)
}

/** The stored scores serve everybody, so they hold nothing that an organization wrote for itself. */
async function findOwnWorst(db: Db, org_id: number, kind: Linked, ids: number[]): Promise<Map<number, Top>> {
  const { links: from, id } = links[kind]
  const rows = await db.values<[item_id: number, ...Top[number]]>(sql`
    SELECT l.${id}, v.id, v.score, ${isProvisional} FROM vulns v INDEXED BY vulns_by_org CROSS JOIN ${from} l ON l.vuln_id = v.id
    WHERE v.org_id = ${org_id} AND v.score IS NOT NULL AND l.${id} IN ${valuesTable(ids)}`)
  const own = new Map<number, Top>()
  for (const [item_id, ...one] of rows) own.set(item_id, [...(own.get(item_id) ?? []), one])
  return own
}
