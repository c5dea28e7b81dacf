import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { affectedStatus } from '../domain/affected'
import { describeRange } from '../domain/range'
import type { AffectedRange, SourceKey } from '../domain/record'
import { affected, affectedPackages } from '../schema/links'
import { requireVuln } from '../watchlist/visible'

type Asked = { version: string; product?: number | undefined; package?: number | undefined }

/** Whether a version is affected, as the sources of the vulnerability say. */
export async function testAffected(db: Db, org_id: number, vuln_id: number, asked: Asked) {
  await requireVuln(db, org_id, vuln_id)
  const rows =
    asked.product === undefined
      ? await db
          .select({ source: affectedPackages.source, ranges: affectedPackages.ranges })
          .from(affectedPackages)
          .where(and(eq(affectedPackages.vuln_id, vuln_id), eq(affectedPackages.package_id, asked.package ?? 0)))
      : await db
          .select({ source: affected.source, ranges: affected.ranges })
          .from(affected)
          .where(and(eq(affected.vuln_id, vuln_id), eq(affected.product_id, asked.product)))
  const statements = rows.map(({ source, ranges }) => ({
    source: source as SourceKey,
    ranges: JSON.parse(ranges) as AffectedRange[],
  }))
  const { by, range, ...answer } = affectedStatus(asked.version, statements)
  return {
    ...answer,
    range: range && describeRange(range),
    by: by.map((one) => ({ ...one, range: one.range && describeRange(one.range) })),
  }
}
