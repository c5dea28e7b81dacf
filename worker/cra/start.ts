import { sql } from 'drizzle-orm'
import { eachApart } from '../db/apart'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { literal } from '../db/values'

/** Inventories of a turn of the clock; the next one takes the others. In no order: those that change each minute must not stand before the others. */
const productsAtOnce = 50

type Product = { org_id: number; inventory_id: number; seen: string; is_like: string }

const claimed = sql`(SELECT vuln_id FROM exploitation_claims WHERE is_exploited = 1) r`

/**
 * A clock for each exploited vulnerability of an organization's products, where findings or catalogues changed since it was
 * looked for; and fixes that came.
 */
export async function startCraClocks(db: Db, now: Date) {
  const products = await db.all<Product>(sql`
    SELECT o.org_id, o.inventory_id, o.seen, i.changes || ' ' || (SELECT count(*) || ' ' || coalesce(sum(r.vuln_id), 0) FROM ${claimed}) AS is_like
    FROM own_products o CROSS JOIN inventories i ON i.org_id = o.org_id AND i.id = o.inventory_id
    WHERE i.removed_at IS NULL AND is_like <> o.seen ORDER BY random() LIMIT ${literal(productsAtOnce)}`)
  await eachApart(db, products, (product) => startOrg(db, product, stamp(now)))
}

const startOrg = (db: Db, { org_id, inventory_id, seen, is_like }: Product, at: string) =>
  db.$client.batch(
    [
      sql`INSERT INTO cra_clocks(org_id, vuln_id, started_at, aware_at)
        SELECT DISTINCT ${org_id}, v.id, ${at}, ${at} FROM ${claimed}
        CROSS JOIN inventory_vulns y ON y.vuln_id = r.vuln_id AND y.org_id = ${org_id} AND y.inventory_id = ${inventory_id}
        CROSS JOIN vulns v ON v.id = r.vuln_id AND v.state <> 'rejected' AND +v.is_in_the_wild = 1 WHERE TRUE ON CONFLICT DO NOTHING`,
      sql`UPDATE cra_clocks SET fix_at = ${at}, revision = revision + 1
        WHERE org_id = ${org_id} AND fix_at IS NULL AND is_fix_stated = 0 AND is_done = 0 AND EXISTS (
          SELECT 1 FROM inventory_findings f WHERE f.org_id = ${org_id} AND f.inventory_id = ${inventory_id} AND f.vuln_id = cra_clocks.vuln_id
            AND f.fixed_in IS NOT NULL)`,
      // Those that began now, and those that have a fix since now.
      sql`INSERT INTO cra_dues(at, org_id, vuln_id) SELECT ${at}, c.org_id, c.vuln_id FROM cra_clocks c
        WHERE c.org_id = ${org_id} AND ${at} IN (c.started_at, c.fix_at) ON CONFLICT DO NOTHING`,
      sql`UPDATE own_products SET seen = ${is_like} WHERE org_id = ${org_id} AND inventory_id = ${inventory_id} AND seen = ${seen}`,
    ].map((change) => statement(db, change)),
  )
