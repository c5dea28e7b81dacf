import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isAffected, ownVerdict } from '../domain/affected'
import { verdictOf } from '../domain/range-verdict'
import type { Verdict } from '../domain/range-verdict'
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
  // Many say the same ranges: each is judged once.
  const verdicts = new Map<string, Verdict>()
  const judged = (ranges: string) => {
    const verdict = verdicts.get(ranges) ?? verdictOf(version, JSON.parse(ranges) as AffectedRange[])
    verdicts.set(ranges, verdict)
    return verdict
  }
  const byVuln = Map.groupBy(read, ({ vuln_id }) => vuln_id)
  return [...byVuln]
    .filter(([, rows]) => isAffected(rows.map(({ ranges, source }) => ownVerdict(judged(ranges), source))))
    .map(([id]) => id)
}
