import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import type { WatchedKind } from '../domain/names/watch-item'
import { isSettled } from '../schema/decisions'
import { isProvisional, shared } from '../schema/vulns'
import { itemTables } from '../watchlist/item-tables'
import type { MonitoredItem } from './contract'

export type Worst = Pick<MonitoredItem, 'worst' | 'is_pending'>
type Top = [vuln_id: number, score: number, is_provisional: number][]

/** The table keeps so many of the highest scores of each item: mostly one of them is open. */
const topSize = 5
/** An item with more vulnerabilities is found from the highest scores of all. */
const maxRead = 2_000
/** So many rows are read at most for items that must be counted anew; the others wait for the next question. */
const maxRows = 12_000

type Linked = Exclude<WatchedKind, 'vuln'>

/** Of the items that a table of `item` names. */
export async function findWorst(db: Db, org_id: number, kind: WatchedKind, ids: SQL): Promise<Map<number, Worst>> {
  if (kind === 'vuln') return findOwnScores(db, org_id, ids)
  const [tops, own] = await Promise.all([findTops(db, org_id, kind, ids), findOwnWorst(db, org_id, kind, ids)])
  const firstOpen = (id: number) =>
    [...(tops.get(id)?.open ?? []), ...(own.get(id) ?? [])].toSorted(([, a], [, b]) => b - a)[0]
  const isCut = (id: number) => tops.get(id)?.top.length === topSize && !firstOpen(id)
  const below = await findBelow(
    db,
    org_id,
    kind,
    [...tops].flatMap(([id, top]) => (top && isCut(id) && top.count <= maxBelow ? id : [])),
  )
  return new Map(
    [...tops].map(([id, top]) => {
      const [found, last, is_pending] = [firstOpen(id), top?.top.at(-1), !top]
      if (found) return [id, { worst: toWorst(found), is_pending }]
      if (last && isCut(id) && !below.has(id))
        return [id, { worst: { id: null, score: last[1], is_exact: false, is_score_provisional: false }, is_pending }]
      return [id, { worst: below.get(id) ?? null, is_pending }]
    }),
  )
}

const toWorst = ([id, score, is_provisional]: Top[number]) => ({
  id,
  score,
  is_exact: true,
  is_score_provisional: is_provisional === 1,
})

/** An item with so many vulnerabilities has all of them looked at where none of the highest is open: its versions are safe from these. */
const maxBelow = 100

/** The highest score of each that is open; null where none is. */
async function findBelow(db: Db, org_id: number, kind: Linked, ids: number[]): Promise<Map<number, Worst['worst']>> {
  if (!ids.length) return new Map()
  const { links: from, id } = itemTables[kind]
  const rows = await db.values<[item: number, ...Top[number]]>(sql`
    SELECT p.item, v.id, v.score, ${isProvisional} FROM (
      SELECT j.item, (SELECT v.id FROM ${from} l CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = l.vuln_id
          CROSS JOIN vulns v ON v.id = l.vuln_id AND v.state <> 'rejected' AND v.score IS NOT NULL
        WHERE l.${id} = j.item AND l.org_id IS NULL AND NOT ${isSettled(sql`${org_id}`, sql`l.vuln_id`)}
        ORDER BY v.score DESC LIMIT 1) AS first
      FROM ${valuesTable(ids)} j) p CROSS JOIN vulns v ON v.id = p.first`)
  const found = new Map(rows.map(([item, ...one]) => [item, toWorst(one)]))
  return new Map(ids.map((item) => [item, found.get(item) ?? null]))
}

async function findOwnScores(db: Db, org_id: number, ids: SQL): Promise<Map<number, Worst>> {
  const rows = await db.values<Top[number]>(sql`
    SELECT v.id, v.score, ${isProvisional} FROM ${ids} j CROSS JOIN vulns v ON v.id = j.item
    WHERE v.score IS NOT NULL AND ${isOpen(org_id, sql`v.id`)}`)
  return new Map(rows.map((one) => [one[0], { worst: toWorst(one), is_pending: false }]))
}

/** It concerns the organization and is neither fixed nor without interest. */
const isOpen = (
  org_id: number,
  id: SQL,
) => sql`EXISTS (SELECT 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = ${id})
  AND NOT ${isSettled(sql`${org_id}`, id)}`

/** Of scores, as they are kept, those that are open. */
const selectOpen = (org_id: number, scores: SQL) => sql`
  SELECT json_group_array(json(t.value)) FROM json_each(${scores}) t WHERE ${isOpen(org_id, sql`t.value ->> 0`)}`

type Tops = { top: Top; open: Top; count: number }
type Stored = {
  id: number
  vulns_count: number
  made_of: string | null
  now_of: string
  worst: string | null
  open: string
}

/** The kept row of an item, while its vulnerabilities are those of then; else it is read anew, or waits (undefined). */
async function findTops(db: Db, org_id: number, kind: Linked, ids: SQL): Promise<Map<number, Tops | undefined>> {
  const { links: from, id } = itemTables[kind]
  const rows = await db.all<Stored>(sql`
    SELECT i.id, i.vulns_count, w.made_of, w.worst, (${selectOpen(org_id, sql`w.worst`)}) AS open, i.vulns_count || ':' ||
      coalesce((SELECT l.touched FROM ${from} l WHERE l.${id} = i.id AND l.org_id IS NULL ORDER BY l.touched DESC LIMIT 1), 0) AS now_of
    FROM ${ids} j CROSS JOIN ${itemTables[kind].items} i ON i.id = j.item LEFT JOIN item_worst w ON w.kind = ${kind} AND w.item_id = i.id`)
  const hour = new Date().toISOString().slice(0, 13)
  let left = maxRows
  const found = rows.map(async ({ id: item_id, vulns_count: count, now_of, made_of, worst, open }) => {
    const now = `${now_of}:${hour}`
    if (made_of === now && worst !== null)
      return { item_id, tops: { top: JSON.parse(worst) as Top, open: JSON.parse(open) as Top, count } }
    if (left <= 0) return { item_id, tops: undefined }
    left -= Math.min(2 * count, maxRead * 2) + 1
    const read = await readTop(db, org_id, kind, { item_id, vulns_count: count })
    return { item_id, tops: { ...read, count }, made_of: now }
  })
  const all = await Promise.all(found)
  const fresh = all.flatMap(({ item_id, tops, made_of }) =>
    made_of ? [[item_id, made_of, JSON.stringify(tops.top)]] : [],
  )
  if (fresh.length)
    await db.run(sql`INSERT INTO item_worst(kind, item_id, made_of, worst)
      SELECT ${kind}, value->>0, value->>1, value->>2 FROM json_each(${JSON.stringify(fresh)}) WHERE TRUE
      ON CONFLICT DO UPDATE SET made_of = excluded.made_of, worst = excluded.worst`)
  return new Map(all.map(({ item_id, tops }) => [item_id, tops]))
}

async function readTop(
  db: Db,
  org_id: number,
  kind: Linked,
  { item_id, vulns_count }: { item_id: number; vulns_count: number },
) {
  const { links: from, id } = itemTables[kind]
  // The plus sign keeps it from reading all links of the item for each vulnerability.
  const has = sql`EXISTS (SELECT 1 FROM ${from} l WHERE l.vuln_id = v.id AND +l.${id} = ${item_id})`
  const columns = sql`v.id, v.score, ${isProvisional}`
  const rows: SQL =
    vulns_count <= maxRead
      ? sql`SELECT DISTINCT ${columns} FROM ${from} l CROSS JOIN vulns v ON v.id = l.vuln_id
          WHERE l.${id} = ${item_id} AND l.org_id IS NULL AND v.score IS NOT NULL AND v.state <> 'rejected'`
      : sql`SELECT ${columns} FROM vulns v INDEXED BY vulns_by_score WHERE ${shared} AND v.score IS NOT NULL AND ${has}`
  const found = await db.values<[...Top[number], is_open: number]>(sql`
    SELECT p.*, ${isOpen(org_id, sql`p.id`)} FROM (${rows} ORDER BY v.score DESC LIMIT ${topSize}) p`)
  const toScores = (list: typeof found): Top => list.map(([vuln_id, ...score]) => [vuln_id, score[0], score[1]])
  return { top: toScores(found), open: toScores(found.filter(([, , , is_open]) => is_open)) }
}

/** The stored scores serve everybody, so they hold nothing that an organization wrote for itself. */
async function findOwnWorst(db: Db, org_id: number, kind: Linked, ids: SQL): Promise<Map<number, Top>> {
  const { links: from, id } = itemTables[kind]
  const rows = await db.values<[item_id: number, ...Top[number]]>(sql`
    SELECT l.${id}, v.id, v.score, ${isProvisional} FROM vulns v INDEXED BY vulns_by_org CROSS JOIN ${from} l ON l.vuln_id = v.id
    WHERE v.org_id = ${org_id} AND v.score IS NOT NULL AND l.${id} IN (SELECT item FROM ${ids}) AND ${isOpen(org_id, sql`v.id`)}`)
  const own = new Map<number, Top>()
  for (const [item_id, ...one] of rows) own.set(item_id, [...(own.get(item_id) ?? []), one])
  return own
}
