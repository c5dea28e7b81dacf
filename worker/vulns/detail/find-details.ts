import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { mergeRecords } from '../../domain/words/merge'
import { bodyHex, unpackRecords } from '../../merge/record-body'
import { packages, products } from '../../schema/kb'
import { affected, affectedPackages } from '../../schema/links'
import { vulnRecords, vulns } from '../../schema/vulns'
import { findEachWeakness } from '../../taxonomy/refs'
import { monitoredByEach } from '../../watchlist/monitored'
import { isPackageMonitored, isProductMonitored } from '../../watchlist/queries'
import { isVisible } from '../../watchlist/visible'
import { vulnColumns } from '../columns'
import type { VulnDetail } from './contract'
import { composeDetail, withWeakness } from './detail'
import { findDueFacts } from './due-reason'
import { withRunSupports } from './run-supports'
import { withSafeUpgrades } from './safe-upgrades'
import { judgeRunning } from '../../exposure/running'
import { findRivals, itemsNamedBy } from '../../exposure/safe-upgrades'
import { findUncompared } from '../../exposure/uncompared'

/** The most products, and packages, of each vulnerability. */
const maxLinks = 100

/** Needs two batches, however many ids there are. */
export async function findDetails(db: Db, org_id: number, ids: number[], now: Date): Promise<Map<number, VulnDetail>> {
  if (!ids.length) return new Map()
  const [[rows, bodies, productLinks, packageLinks, monitored_by], running, listUncompared, dueFacts, rivals] =
    await Promise.all([
      findParts(db, org_id, ids),
      judgeRunning(db, org_id, ids),
      findUncompared(db, org_id, ids),
      findDueFacts(db, org_id, ids),
      findRivals(db, org_id, itemsNamedBy(ids), ids),
    ])
  const own = byVuln({ bodies, productLinks, packageLinks, monitored_by })
  const merged = new Map(rows.map(({ id, summary }) => [id, mergeRecords(unpackRecords(own(id).bodies, summary))]))
  const cwe_ids = [...merged.values()].flatMap((one) => one.cwe_ids)
  const dueBy = new Map(dueFacts.map((facts) => [facts.vuln_id, facts]))
  const composed = rows.flatMap((row) => {
    const record = merged.get(row.id)
    if (!record) return []
    const parts = { row, merged: record, due_facts: dueBy.get(row.id), withdrawn_claims: [], ...own(row.id) }
    return [composeDetail(parts, now)]
  })
  const details = withSafeUpgrades(composed, rivals)
  const [findWeakness, listRuns] = await Promise.all([findEachWeakness(db, cwe_ids), withRunSupports(db, running, now)])
  return new Map(
    details.map((detail) => [
      detail.id,
      withWeakness(
        { ...detail, uncompared: listUncompared(detail.id), runs: listRuns(detail.id) },
        findWeakness(detail.cwe_ids),
      ),
    ]),
  )
}

function findParts(db: Db, org_id: number, ids: number[]) {
  const among = sql`${valuesTable(ids)} c`
  const isAbout = (column: typeof affected.vuln_id | typeof vulnRecords.vuln_id | typeof affectedPackages.vuln_id) =>
    sql`${column} = c.item`
  return db.batch([
    db
      .select(vulnColumns(org_id))
      .from(among)
      .crossJoin(vulns)
      .where(and(sql`vulns.id = c.item`, isVisible(org_id))),
    db
      .select({
        vuln_id: vulnRecords.vuln_id,
        source: vulnRecords.source,
        modified: vulnRecords.modified,
        body: bodyHex,
      })
      .from(among)
      .crossJoin(vulnRecords)
      .where(isAbout(vulnRecords.vuln_id)),
    db
      .select({
        vuln_id: affected.vuln_id,
        product_id: affected.product_id,
        vendor: products.vendor,
        product: products.name,
        source: affected.source,
        ranges: affected.ranges,
        monitored: isProductMonitored(org_id).as('monitored'),
      })
      .from(among)
      .crossJoin(affected)
      .innerJoin(products, eq(products.id, affected.product_id))
      .where(and(isAbout(affected.vuln_id), limitLinks('affected', 'product_id'))),
    db
      .select({
        vuln_id: affectedPackages.vuln_id,
        package_id: affectedPackages.package_id,
        type: packages.type,
        name: packages.name,
        source: affectedPackages.source,
        ranges: affectedPackages.ranges,
        monitored: isPackageMonitored(org_id).as('monitored'),
      })
      .from(among)
      .crossJoin(affectedPackages)
      .innerJoin(packages, eq(packages.id, affectedPackages.package_id))
      .where(and(isAbout(affectedPackages.vuln_id), limitLinks('affected_packages', 'package_id'))),
    monitoredByEach(db, org_id, valuesTable(ids)),
  ])
}

const limitLinks = (table: 'affected' | 'affected_packages', column: 'product_id' | 'package_id') => {
  const [links, item] = [sql.raw(table), sql.raw(column)]
  return sql`${links}.${item} IN (SELECT ${item} FROM ${links} x WHERE x.vuln_id = c.item LIMIT ${maxLinks})`
}

/** Answers the part of each list that belongs to one vulnerability. */
function byVuln<Lists extends Record<string, { vuln_id: number }[]>>(lists: Lists) {
  const grouped = Object.entries(lists).map(
    ([name, list]) => [name, Map.groupBy(list, ({ vuln_id }) => vuln_id)] as const,
  )
  // The type of Object.fromEntries does not keep the keys.
  return (id: number) => Object.fromEntries(grouped.map(([name, map]) => [name, map.get(id) ?? []])) as Lists
}
