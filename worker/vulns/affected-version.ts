import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { affectedStatus } from '../domain/affected'
import type { Statement } from '../domain/affected'
import type { AffectedRange, SourceKey } from '../domain/record'
import { versionWindow } from './contract'

type Ask = { product: number; version: string; window: number }
type Said = [vuln_id: number, source: SourceKey, ranges: AffectedRange[]]

/**
 * The vulnerabilities among those of one window of a product (1 holds the newest) whose ranges say that the version is
 * affected, one that names the product without versions included. Nothing is compared as text: ranges are evaluated.
 */
export async function findAffecting(db: Db, { product, version, window }: Ask): Promise<number[]> {
  // As one value: some hundred rows take longer to hand over than to read.
  const [read] = await db.all<{ said: string }>(sql`
    select json_group_array(json_array(a.vuln_id, a.source, json(a.ranges))) as said from (
      select vuln_id from vuln_products where product_id = ${product}
      order by touched desc, vuln_id desc limit ${versionWindow} offset ${(window - 1) * versionWindow}
    ) l cross join affected a on a.vuln_id = l.vuln_id and a.product_id = ${product}`)
  const statements = new Map<number, Statement[]>()
  for (const [vuln_id, source, ranges] of JSON.parse(read?.said ?? '[]') as Said[])
    statements.set(vuln_id, [...(statements.get(vuln_id) ?? []), { source, ranges }])
  return [...statements].filter(([, said]) => affectedStatus(version, said).status === 'affected').map(([id]) => id)
}
