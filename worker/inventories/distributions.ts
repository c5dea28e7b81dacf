import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { findDistribution } from '../domain/names/distribution'
import { parsePurl } from '../domain/names/purl'
import { findVersionSupport, listLifecycles } from '../taxonomy/lifecycles'
import type { Distribution } from './support-contract'

/** One machine or image has one; more are of those that somebody put into one document. */
const maxDistributions = 50

/** For the batch that writes the components: readers of distributions then read no component. */
export const noteDistributions = (db: Db, org_id: number, inventory_id: number) =>
  statement(
    db,
    sql`UPDATE inventories SET distributions = (SELECT json_group_array(json_array(purl, packages)) FROM (
      SELECT min(purl) AS purl, count(*) AS packages FROM (
        SELECT purl, substr(purl, instr(purl, 'distro=') + 7) AS distro FROM inventory_components
        WHERE org_id = ${org_id} AND inventory_id = ${inventory_id} AND instr(purl, 'distro=') > 0)
      GROUP BY CASE instr(distro, '&') WHEN 0 THEN distro ELSE substr(distro, 1, instr(distro, '&') - 1) END
      ORDER BY packages DESC, purl LIMIT ${sql.raw(String(maxDistributions))}))
    WHERE org_id = ${org_id} AND id = ${inventory_id}`,
  )

/** The distributions that packages of an inventory were built for, and how long each is supported; the commonest first. */
export async function findDistributions(db: Db, org_id: number, inventory_id: number, now: Date) {
  const groups = await db.all<{ purl: string; packages: number }>(sql`
    SELECT d.value->>0 AS purl, d.value->>1 AS packages FROM inventories y CROSS JOIN json_each(y.distributions) d
    WHERE y.org_id = ${org_id} AND y.id = ${inventory_id}`)
  const named = groups.flatMap(({ purl: text, packages }) => {
    const purl = parsePurl(text)
    const distribution = purl && findDistribution(purl)
    return distribution ? [{ ...distribution, packages }] : []
  })
  const lifecycles = await listLifecycles(db, [...new Set(named.map(({ id }) => id))], now)
  const found = new Map<string, Distribution>()
  for (const { id, version, packages } of named) {
    const lifecycle = lifecycles.get(id)
    const support = lifecycle && findVersionSupport(lifecycle, version, now)
    if (!support) continue
    const key = `${id} ${support.release.name}`
    found.set(key, { ...support, packages: packages + (found.get(key)?.packages ?? 0) })
  }
  return [...found.values()]
}
