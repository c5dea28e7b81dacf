import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { isAffected, ownVerdict } from '../../domain/affected'
import type { Said } from '../../domain/affected'
import { matcherOf } from '../../domain/range-match'
import { verdictOf } from '../../domain/range-verdict'
import type { AffectedRange, SourceKey } from '../../domain/record'
import { versionWindow } from '../contract'

/** A window of a product's links; 1 holds the newest. */
type Ask = { version: string; window: number }
type Read = { product_id: number; source: SourceKey; ranges: string; vuln_ids: string }

/** A product's name without its vendor's can be that of several. */
const mostProducts = 5

/**
 * The vulnerabilities among those of one window of a product whose ranges say that the version is affected, one that
 * names the product without versions included. Nothing is compared as text: ranges are evaluated.
 */
export const findAffecting = (db: Db, product: number, asked: Ask) =>
  findAffectingAny(db, sql`select ${product} as id`, asked)

/** The same of the first few of several products (rows of `id`). */
export async function findAffectingAny(db: Db, products: SQL, { version, window }: Ask): Promise<number[]> {
  // Many say the same ranges: these are handed over and judged once.
  const read = await db.all<Read>(sql`
    select a.product_id, a.source, a.ranges, json_group_array(a.vuln_id) as vuln_ids
    from (select distinct id from (${products}) limit ${mostProducts}) p
    cross join affected a on a.product_id = p.id and a.vuln_id in (
      select vuln_id from vuln_products where product_id = p.id
      order by touched desc, vuln_id desc limit ${versionWindow} offset ${(window - 1) * versionWindow}
    ) group by 1, 2, 3`)
  const match = matcherOf(version, true)
  const saidOf = new Map<string, { vuln_id: number; said: Said[] }>()
  for (const { product_id, source, ranges, vuln_ids } of read) {
    const verdict = verdictOf(version, JSON.parse(ranges) as AffectedRange[], undefined, match)
    for (const vuln_id of JSON.parse(vuln_ids) as number[]) {
      const link = `${vuln_id} ${product_id}`
      const { said } = saidOf.get(link) ?? { said: [] }
      saidOf.set(link, { vuln_id, said: [...said, ownVerdict(verdict, source)] })
    }
  }
  const affecting = [...saidOf.values()].filter(({ said }) => isAffected(said))
  return [...new Set(affecting.map(({ vuln_id }) => vuln_id))]
}
