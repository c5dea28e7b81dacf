import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { listEpssModels, toSeen } from '../domain/scores/epss-models'
import { formatMoment } from '../domain/words/moment'
import { unpackRanges } from '../domain/versions/stored-ranges'
import { notFound } from '../http/errors'
import { seenEpssModels } from '../schema/feeds'
import { packages, products } from '../schema/kb'
import { unpackBody } from '../merge/record-body'
import { bodyHex } from '../merge/records'
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
      .filter(({ source }) => source === key)
      .map(({ source: _, ranges, ...name }) => ({ ...name, ranges: unpackRanges(ranges) }))
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

export async function findEpssHistory(db: Db, org_id: number, vuln_id: number) {
  await requireVuln(db, org_id, vuln_id)
  const [[vuln], history] = await db.batch([
    db.select({ epss: vulns.epss, seen: seenEpssModels }).from(vulns).where(eq(vulns.id, vuln_id)),
    db
      .select({ until: epssHistory.until, epss: epssHistory.epss })
      .from(epssHistory)
      .where(eq(epssHistory.vuln_id, vuln_id))
      .orderBy(asc(epssHistory.until))
      .limit(maxDays),
  ])
  return { now: vuln?.epss ?? null, history, models: listEpssModels(toSeen(vuln?.seen)) }
}
