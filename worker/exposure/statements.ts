import { readBulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { GroupedRow } from './compile'
import type { MatchTarget } from './targets'

export type JudgedItem = { id: number; first: string; name: string; vulns_count: number }
type Read = GroupedRow & { id: number }

/** So many vulnerabilities' statements are in memory at once: those of the kernel alone take several megabytes. */
const chunkVulns = 5_000

export const tables = {
  package: {
    table: 'packages',
    first: 'type',
    id: 'package_id',
    links: 'vuln_packages',
    affected: 'affected_packages',
  },
  product: { table: 'products', first: 'vendor', id: 'product_id', links: 'vuln_products', affected: 'affected' },
} as const

export const targetKey = ({ first, name }: { first: string; name: string }) => `${first}\n${name}`

/** A vulnerability of an item, which is a package or a product. */
export type AskedPair = [vuln_id: number, item_id: number]
/** Statements about these packages or products, and those of `only` alone if it names some. */
type Wanted = { kind: MatchTarget['kind']; items: JudgedItem[]; only?: AskedPair[] | undefined }

/** Chunk by chunk, each item in one piece; a text of ranges that many vulnerabilities share is handed over once. */
export async function* readStatements(db: Db, org_id: number, { kind, items, only }: Wanted) {
  if (!items.length) return
  for (const chunk of only ? [items] : cutChunks(items, chunkVulns, (item) => item.vulns_count)) {
    const ids = chunk.map((item) => item.id)
    const read = await (only
      ? readBulk<Read>(db, selectOnly(kind), once(only), org_id)
      : readBulk<Read>(db, selectAll(kind), ids, org_id))
    const byId = Map.groupBy(read, (row) => row.id)
    yield new Map(chunk.map((item) => [targetKey(item), byId.get(item.id) ?? []]))
  }
}

const once = (pairs: AskedPair[]) => [...new Map(pairs.map((pair) => [pair.join(), pair])).values()]

function selectAll(kind: MatchTarget['kind']) {
  const { id, links, affected } = tables[kind]
  return `SELECT l.${id} AS id, a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids
    FROM jsonb_each(?1) j CROSS JOIN ${links} l ON l.${id} = j.value AND (l.org_id IS NULL OR l.org_id = ?2)
    CROSS JOIN vulns v ON v.id = l.vuln_id AND v.state <> 'rejected'
    CROSS JOIN ${affected} a ON a.vuln_id = l.vuln_id AND a.${id} = l.${id}
    GROUP BY 1, 2, 3`
}

function selectOnly(kind: MatchTarget['kind']) {
  const { id, affected } = tables[kind]
  return `SELECT a.${id} AS id, a.source, a.ranges, json_group_array(a.vuln_id) AS vuln_ids
    FROM jsonb_each(?1) j CROSS JOIN vulns v ON v.id = j.value->>0 AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = ?2)
    CROSS JOIN ${affected} a ON a.vuln_id = v.id AND a.${id} = j.value->>1
    GROUP BY 1, 2, 3`
}

export function findItems(db: Db, kind: MatchTarget['kind'], named: Pick<MatchTarget, 'first' | 'name'>[]) {
  const { table, first } = tables[kind]
  const unique = [...new Map(named.map((target) => [targetKey(target), [target.first, target.name]])).values()]
  return readBulk<JudgedItem>(
    db,
    `SELECT n.id, n.${first} AS first, n.name, n.vulns_count FROM jsonb_each(?1) j
     CROSS JOIN ${table} n ON n.${first} = j.value->>0 AND n.name = j.value->>1`,
    unique,
  )
}

/** A larger item is a chunk of its own. */
export function cutChunks<Item>(items: Item[], most: number, measure: (item: Item) => number) {
  const chunks: Item[][] = []
  let size = Infinity
  for (const item of items) {
    size += measure(item)
    if (size > most) {
      chunks.push([])
      size = measure(item)
    }
    chunks.at(-1)?.push(item)
  }
  return chunks
}
