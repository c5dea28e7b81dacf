import { and, desc, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { listEpssModels, toSeen } from '../domain/scores/epss-models'
import { composeProbability, computeLev } from '../domain/scores/lev'
import { formatMoment } from '../domain/words/moment'
import { unpackRanges } from '../domain/versions/stored-ranges'
import { cisaKey, rangeKeys } from '../domain/words/record'
import { notFound } from '../http/errors'
import { newestEpssDay, seenEpssModels } from '../schema/feeds'
import { packages, products } from '../schema/kb'
import { unpackBody, bodyHex } from '../merge/record-body'
import { epssHistory, vulnRecords, vulns } from '../schema/vulns'
import { affected, affectedPackages } from '../schema/links'
import { isVisible, requireVuln } from '../watchlist/visible'

const maxProducts = 500
const maxDays = 1_000

export async function findRecords(db: Db, org_id: number, vuln_id: number) {
  // A record shares the summary that was written with it.
  const [[vuln], records, productRanges, packageRanges] = await db.batch([
    db
      .select({ summary: vulns.summary })
      .from(vulns)
      .where(and(eq(vulns.id, vuln_id), isVisible(org_id))),
    db
      .select({ source: vulnRecords.source, modified: vulnRecords.modified, body: bodyHex })
      .from(vulnRecords)
      .where(eq(vulnRecords.vuln_id, vuln_id)),
    db
      .select({ source: affected.source, vendor: products.vendor, product: products.name, ranges: affected.ranges })
      .from(affected)
      .innerJoin(products, eq(products.id, affected.product_id))
      .where(eq(affected.vuln_id, vuln_id))
      .limit(maxProducts),
    db
      .select({
        source: affectedPackages.source,
        type: packages.type,
        name: packages.name,
        ranges: affectedPackages.ranges,
      })
      .from(affectedPackages)
      .innerJoin(packages, eq(packages.id, affectedPackages.package_id))
      .where(eq(affectedPackages.vuln_id, vuln_id))
      .limit(maxProducts),
  ])
  if (!vuln) throw notFound('Vulnerability')
  const fromSource = <Row extends { source: string; ranges: string }>(rows: Row[], key: string) =>
    rows
      .filter(({ source }) => rangeKeys(key).includes(source))
      .map(({ source, ranges, ...name }) => ({
        ...name,
        ranges: unpackRanges(ranges),
        ...(source === cisaKey && { by: 'cisa' }),
      }))
  return records.map(({ source, modified, body }) => ({
    source,
    modified: formatMoment(modified),
    record: {
      ...unpackBody(body, vuln.summary),
      affected: fromSource(productRanges, source),
      packages: fromSource(packageRanges, source),
    },
  }))
}

/** The newest changes of EPSS, where there are more than are kept here, and figures derived from them. */
export async function findEpssHistory(db: Db, org_id: number, vuln_id: number) {
  await requireVuln(db, org_id, vuln_id)
  const { epss, kev_added_at } = vulns
  const [[vuln], newestFirst] = await db.batch([
    db
      .select({ epss, kev_added_at, seen: seenEpssModels, today: newestEpssDay })
      .from(vulns)
      .where(eq(vulns.id, vuln_id)),
    db
      .select({ until: epssHistory.until, epss: epssHistory.epss })
      .from(epssHistory)
      .where(eq(epssHistory.vuln_id, vuln_id))
      .orderBy(desc(epssHistory.until))
      .limit(maxDays),
  ])
  const now = vuln?.epss ?? null
  const [history, models] = [newestFirst.toReversed(), listEpssModels(toSeen(vuln?.seen))]
  const lev = vuln?.today ? computeLev(history, { now, today: vuln.today, models }) : null
  const composite = composeProbability(now, (vuln?.kev_added_at ?? null) !== null, lev?.lev ?? null)
  return { now, history, models, lev, composite }
}
