import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { jsonChunks } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { watchedKinds } from '../../domain/names/watch-item'
import type { WatchedKind } from '../../domain/names/watch-item'
import { quoteCell } from '../cells'
import type { Watchlist } from '../import/current'

export type Removed = Partial<Record<WatchedKind, number[]>>
type Row = { value: string; groups: string | null; versions: string | null; is_monitored: number }

export const lineHeader = ['type', 'value', 'groups', 'versions', 'monitored']

/** The watched ones of the items, as rows of a list that the import reads back; vendors come before their products. */
export async function findRemovedLines(db: Db, org_id: number, removed: Removed) {
  const wanted = watchedKinds.flatMap((kind) =>
    jsonChunks(removed[kind] ?? []).flatMap((json) => selects[kind](org_id, json)),
  )
  if (!wanted.length) return []
  const answers = await db.$client.batch<Row>(wanted.map(({ query }) => statement(db, query)))
  return wanted.flatMap(({ type }, at) => (answers[at]?.results ?? []).map((row) => toLine(type, row)))
}

export const toAwaitedLines = (forgotten: { kind: WatchedKind; value: string }[], { awaited }: Watchlist) =>
  forgotten.map(({ kind, value }) => {
    const { groups = [], versions = [] } = awaited.get(`${kind} ${value}`) ?? {}
    return toCells(kind, { value, groups, versions, monitored: true })
  })

const toLine = (type: WatchedKind, { value, groups, versions, is_monitored }: Row) =>
  toCells(type, { value, groups: readList(groups), versions: readList(versions), monitored: is_monitored === 1 })
const readList = (json: string | null) => (json === null ? [] : (JSON.parse(json) as string[]))

type Line = { value: string; groups: string[]; versions: string[]; monitored: boolean }
const toCells = (type: WatchedKind, { value, groups, versions, monitored }: Line) =>
  [type, value, groups.join(';'), versions.join(';'), monitored ? 'yes' : 'no'].map(quoteCell)

type Select = { type: WatchedKind; query: SQL }
const ids = (json: string) => sql`jsonb_each(${json}) j`

/** A product's own row goes with its vendor; a product without a row of its own follows its vendor. */
const selects: Record<WatchedKind, (org_id: number, json: string) => Select[]> = {
  vendor: (org_id, json) => [
    {
      type: 'vendor',
      query: sql`SELECT i.name AS value, m.groups, NULL AS versions, 1 AS is_monitored FROM ${ids(json)}
        CROSS JOIN monitored_vendors m ON m.org_id = ${org_id} AND m.vendor_id = j.value CROSS JOIN vendors i ON i.id = j.value`,
    },
    {
      type: 'product',
      query: sql`SELECT i.vendor || ':' || i.name AS value, m.groups, m.versions, m.is_monitored FROM monitored_products m
        CROSS JOIN products i ON i.id = m.product_id
        WHERE m.org_id = ${org_id} AND i.vendor_id IN (SELECT j.value FROM ${ids(json)})`,
    },
  ],
  product: (org_id, json) => [
    {
      type: 'product',
      query: sql`SELECT i.vendor || ':' || i.name AS value, m.groups, m.versions, 1 AS is_monitored FROM ${ids(json)}
        CROSS JOIN products i ON i.id = j.value LEFT JOIN monitored_products m ON m.org_id = ${org_id} AND m.product_id = i.id
        WHERE coalesce(m.is_monitored, EXISTS (SELECT 1 FROM monitored_vendors v WHERE v.org_id = ${org_id} AND v.vendor_id = i.vendor_id))`,
    },
  ],
  package: (org_id, json) => [
    {
      type: 'package',
      query: sql`SELECT i.type || ':' || i.name AS value, m.groups, m.versions, 1 AS is_monitored FROM ${ids(json)}
        CROSS JOIN monitored_packages m ON m.org_id = ${org_id} AND m.package_id = j.value CROSS JOIN packages i ON i.id = j.value`,
    },
  ],
  vuln: (org_id, json) => [
    {
      type: 'vuln',
      query: sql`SELECT 'PH-' || m.vuln_id AS value, m.groups, NULL AS versions, 1 AS is_monitored FROM ${ids(json)}
        CROSS JOIN monitored_vulns m ON m.org_id = ${org_id} AND m.vuln_id = j.value`,
    },
  ],
}
