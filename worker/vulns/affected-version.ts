import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { affectedStatus } from '../domain/affected'
import type { Statement } from '../domain/affected'
import type { AffectedRange, SourceKey } from '../domain/record'
import { versionWindow } from './contract'

type Ask = { product: number; version: string; window: number }
type Read = { vuln_id: number; source: SourceKey; ranges: string }

/**
 * The vulnerabilities among those of one window of a product (1 holds the newest) whose ranges say that the version is
 * affected, one that names the product without versions included. Nothing is compared as text: ranges are evaluated.
 */
export async function findAffecting(db: Db, { product, version, window }: Ask): Promise<number[]> {
  const read = await db.all<Read>(sql`
    select a.vuln_id, a.source, a.ranges from (
      select vuln_id from vuln_products where product_id = ${product}
      order by touched desc, vuln_id desc limit ${versionWindow} offset ${(window - 1) * versionWindow}
    ) l cross join affected a on a.vuln_id = l.vuln_id and a.product_id = ${product}`)
  const statements = new Map<number, Statement[]>()
  for (const { vuln_id, source, ranges } of read) {
    const said = { source, ranges: JSON.parse(ranges) as AffectedRange[] }
    statements.set(vuln_id, [...(statements.get(vuln_id) ?? []), said])
  }
  return [...statements].filter(([, said]) => affectedStatus(version, said).status === 'affected').map(([id]) => id)
}
