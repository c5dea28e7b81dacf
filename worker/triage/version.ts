import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { judgeStatements } from '../domain/affected'
import { parseCpe, versionInCpe } from '../domain/cpe'
import { describeRange } from '../domain/range'
import type { AffectedRange, SourceKey } from '../domain/record'
import { isAffectedBySummary } from '../domain/summary-words'
import { packages, products } from '../schema/kb'
import { affected, affectedPackages } from '../schema/links'
import { vulns } from '../schema/vulns'
import { requireVuln } from '../watchlist/visible'

type NamedVersion = { version: string; product?: number | undefined; package?: number | undefined }

/** What the sources say of a version, or of that of a CPE name, and whether the summary contradicts all of them. */
export async function testAffected(db: Db, org_id: number, vuln_id: number, { version: text, ...named }: NamedVersion) {
  await requireVuln(db, org_id, vuln_id)
  const cpe = parseCpe(text)
  const version = (cpe && versionInCpe(cpe)) ?? text
  const rows =
    named.product === undefined
      ? await readPackage(db, vuln_id, named.package ?? 0)
      : await readProduct(db, vuln_id, named.product)
  const statements = rows.map(({ source, ranges }) => ({
    source: source as SourceKey,
    ranges: JSON.parse(ranges) as AffectedRange[],
  }))
  const { by, range, ...answer } = judgeStatements(version, statements, undefined, cpe ?? undefined)
  const found = {
    ...answer,
    range: range && describeRange(range),
    by: by.map((verdict) => ({ ...verdict, range: verdict.range && describeRange(verdict.range) })),
  }
  const [first] = rows
  if (!first || found.status !== 'not_affected') return found
  const target = { version, via: named.product === undefined ? 'package' : 'product', ...first } as const
  return isAffectedBySummary(first.summary, target) ? contradict(found, version) : found
}

type Found = Pick<ReturnType<typeof judgeStatements>, 'source' | 'fixed_in' | 'first_unlisted'> & {
  by: { source: SourceKey }[]
}

// No source is averaged with another into "not affected": not even with the words of the vulnerability itself.
function contradict<One extends Found>(found: One, version: string) {
  const summary = { source: 'summary', status: 'affected', confidence: 'likely', range: `through ${version}` } as const
  const own = { ...summary, fixed_in: null, first_unlisted: null, reason: null }
  return { ...found, ...own, is_disputed: true, by: [own, ...found.by] }
}

const readPackage = (db: Db, vuln_id: number, id: number) =>
  db
    .select({
      source: affectedPackages.source,
      ranges: affectedPackages.ranges,
      group: packages.type,
      name: packages.name,
      summary: vulns.summary,
    })
    .from(affectedPackages)
    .innerJoin(packages, eq(packages.id, affectedPackages.package_id))
    .innerJoin(vulns, eq(vulns.id, affectedPackages.vuln_id))
    .where(and(eq(affectedPackages.vuln_id, vuln_id), eq(affectedPackages.package_id, id)))

const readProduct = (db: Db, vuln_id: number, id: number) =>
  db
    .select({
      source: affected.source,
      ranges: affected.ranges,
      group: products.vendor,
      name: products.name,
      summary: vulns.summary,
    })
    .from(affected)
    .innerJoin(products, eq(products.id, affected.product_id))
    .innerJoin(vulns, eq(vulns.id, affected.vuln_id))
    .where(and(eq(affected.vuln_id, vuln_id), eq(affected.product_id, id)))
