import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { decideRunVerdict, judgeStatements } from '../../domain/affected'
import type { Statement } from '../../domain/affected'
import { describeRange } from '../../domain/range'
import type { AffectedRange, SourceKey } from '../../domain/record'
import { runningItems } from '../../watchlist/monitored'
import type { VulnDetail } from './contract'

type Row = {
  vuln_id: number
  via: 'product' | 'package'
  id: number
  name: string
  vendor: string
  versions: string
  source: SourceKey | null
  ranges: string | null
}

/** What the organization runs of what vulnerabilities name: whether each version is affected, who says so, and what fixes it. */
export async function judgeRunning(
  db: Db,
  org_id: number,
  vuln_ids: number[],
): Promise<Map<number, VulnDetail['runs']>> {
  const rows = await db.all<Row>(sql`
    SELECT r.vuln_id, r.via, r.id, coalesce(p.name, k.name) AS name, coalesce(p.vendor, k.type) AS vendor, r.versions,
      coalesce(a.source, b.source) AS source, coalesce(a.ranges, b.ranges) AS ranges
    FROM (${runningItems(org_id, vuln_ids)}) r
    LEFT JOIN products p ON r.via = 'product' AND p.id = r.id
    LEFT JOIN packages k ON r.via = 'package' AND k.id = r.id
    LEFT JOIN affected a ON r.via = 'product' AND a.vuln_id = r.vuln_id AND a.product_id = r.id
    LEFT JOIN affected_packages b ON r.via = 'package' AND b.vuln_id = r.vuln_id AND b.package_id = r.id`)
  const byVuln = Map.groupBy(rows, ({ vuln_id }) => vuln_id)
  return new Map([...byVuln].map(([vuln_id, own]) => [vuln_id, judgeItems(own)]))
}

function judgeItems(rows: Row[]): VulnDetail['runs'] {
  const items = Map.groupBy(rows, ({ via, id }) => `${via} ${id}`)
  return [...items.values()].flatMap((same) => {
    const [first] = same
    if (!first) return []
    const { via, id, name, vendor, versions } = first
    const statements = same.flatMap(({ source, ranges }): Statement[] =>
      source === null || ranges === null ? [] : [{ source, ranges: JSON.parse(ranges) as AffectedRange[] }],
    )
    const judged = (JSON.parse(versions) as string[]).map((version) => judgeRun(version, statements))
    return [{ via, id, name, vendor, versions: judged }]
  })
}

function judgeRun(version: string, statements: Statement[]) {
  const { by, source, range, fixed_in, first_unlisted } = judgeStatements(version, statements)
  return {
    version,
    verdict: decideRunVerdict(by),
    source,
    statement: range === null ? null : describeRange(range),
    fixed_in,
    first_unlisted,
  }
}
