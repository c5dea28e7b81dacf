import { sql, type SQL } from 'drizzle-orm'
import { jsonChunks } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { idSpellings } from '../../domain/names/cve'
import { watchedKinds, type Wanted, type WatchedKind } from '../../domain/names/watch-item'
import { itemTables } from '../../watchlist/item-tables'
import { kbVersionQuery } from '../../watchlist/kb-version'
import { isVisible } from '../../watchlist/visible'
import type { ListLine, RepeatedLine } from './parse-lines'

export type Resolved = ListLine & { id: number | null }

/** An item that goes by two names may stand in a list twice. `vendors` are those of products, which tells what a product follows. */
export async function resolveLines(db: Db, org_id: number, lines: ListLine[]) {
  const statements = watchedKinds.flatMap((kind) => {
    const names = lines.flatMap(({ wanted }, at) =>
      wanted.kind === kind ? listNames(wanted).map((name) => [at, ...name]) : [],
    )
    return jsonChunks(names).map((json) => statement(db, lookUp(kind, org_id, json)))
  })
  const [version, ...answers] = await db.$client.batch<Found>([statement(db, kbVersionQuery(db)), ...statements])
  const kb_version = version?.results[0]?.value ?? 0
  const found = answers.flatMap(({ results }) => results)
  const ids = new Map<number, number>()
  for (const { at, id } of found) if (!ids.has(at)) ids.set(at, id)
  const vendors = new Map(
    found.flatMap(({ id, vendor_id }) => (vendor_id === undefined ? [] : [[id, vendor_id] as const])),
  )
  const resolved: Resolved[] = []
  const repeated: RepeatedLine[] = []
  const firstLines = new Map<string, number>()
  for (const [at, line] of lines.entries()) {
    const id = ids.get(at) ?? null
    const key = `${line.wanted.kind} ${id}`
    const before = id === null ? undefined : firstLines.get(key)
    if (before !== undefined) repeated.push({ line: line.line, wanted: line.wanted, first: before })
    else {
      firstLines.set(key, line.line)
      resolved.push({ ...line, id })
    }
  }
  return { kb_version, resolved, repeated, vendors }
}

type Found = { at: number; id: number; vendor_id?: number; value?: number }

function listNames(wanted: Wanted): (string | number)[][] {
  switch (wanted.kind) {
    case 'vendor':
      return wanted.names.map((name) => [name])
    case 'product':
    case 'package':
      return wanted.names
    case 'vuln':
      return wanted.id === null ? idSpellings(wanted.cveid ?? '').map((id) => [id]) : [[wanted.id]]
  }
}

// In the order in which the names stand in the parameter.
function lookUp(kind: WatchedKind, org_id: number, json: string): SQL {
  const names = sql`jsonb_each(${json}) j`
  if (kind === 'vuln')
    return sql`SELECT j.value->>0 AS at, vulns.id FROM ${names} CROSS JOIN vulns ON vulns.id = (
        SELECT v.id FROM vulns v WHERE typeof(j.value->>1) = 'integer' AND v.id = j.value->>1
        UNION ALL SELECT v.id FROM vulns v WHERE typeof(j.value->>1) = 'text' AND v.cveid = j.value->>1
        UNION ALL SELECT a.vuln_id FROM vuln_aliases a WHERE typeof(j.value->>1) = 'text' AND a.alias = j.value->>1 LIMIT 1)
      WHERE ${isVisible(org_id)} ORDER BY j.key`
  const { items, isNamed } = itemTables[kind]
  const vendor_id = kind === 'product' ? sql`, i.vendor_id` : sql``
  return sql`SELECT j.value->>0 AS at, i.id ${vendor_id} FROM ${names} CROSS JOIN ${items} i WHERE ${isNamed} ORDER BY j.key`
}
