import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { parseCpe, versionInCpe, versionlessInCpe } from '../domain/names/cpe'
import { describeRange } from '../domain/versions/range'
import { judgeStored } from '../exposure/judge-stored'
import { affected, affectedPackages } from '../schema/links'
import { requireVuln } from '../watchlist/visible'

type NamedVersion = { version: string; product?: number | undefined; package?: number | undefined }

/** The version may be that of a CPE name. */
export async function testAffected(db: Db, org_id: number, vuln_id: number, { version: text, ...named }: NamedVersion) {
  await requireVuln(db, org_id, vuln_id)
  const cpe = parseCpe(text)
  const version = (cpe && (versionInCpe(cpe) ?? versionlessInCpe(cpe))) ?? text
  const rows =
    named.product === undefined
      ? await findPackage(db, vuln_id, named.package ?? 0)
      : await findProduct(db, vuln_id, named.product)
  const { by, range, ...answer } = judgeStored(version, rows, { kind: cpe ?? undefined })
  return {
    ...answer,
    range: range && describeRange(range),
    by: by.map((verdict) => ({ ...verdict, range: verdict.range && describeRange(verdict.range) })),
  }
}

const findPackage = (db: Db, vuln_id: number, package_id: number) =>
  db
    .select({ source: affectedPackages.source, ranges: affectedPackages.ranges })
    .from(affectedPackages)
    .where(and(eq(affectedPackages.vuln_id, vuln_id), eq(affectedPackages.package_id, package_id)))

const findProduct = (db: Db, vuln_id: number, product_id: number) =>
  db
    .select({ source: affected.source, ranges: affected.ranges })
    .from(affected)
    .where(and(eq(affected.vuln_id, vuln_id), eq(affected.product_id, product_id)))
