import { and, desc, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { describeChange } from '../../domain/change'
import type { Change } from '../../domain/change'
import { notFound } from '../../http/errors'
import { vulnChanges, vulns } from '../../schema/vulns'
import { isVisible } from '../../watchlist/visible'

const maxEntries = 200
export const changeReasons = { new: 'New vulnerability', updated: 'Updated', minor: 'Details changed' }

export async function findHistory(db: Db, org_id: number, vuln_id: number) {
  const [[vuln], entries] = await db.batch([
    db
      .select({ id: vulns.id, created_at: vulns.created_at })
      .from(vulns)
      .where(and(eq(vulns.id, vuln_id), isVisible(org_id))),
    db
      .select({ at: vulnChanges.at, kind: vulnChanges.kind, source: vulnChanges.source, detail: vulnChanges.detail })
      .from(vulnChanges)
      .where(eq(vulnChanges.vuln_id, vuln_id))
      .orderBy(desc(vulnChanges.seq))
      .limit(maxEntries),
  ])
  if (!vuln) throw notFound('Vulnerability')
  const told = entries.map(({ at, kind, source, detail }) => ({
    date: at,
    reason: changeReasons[kind],
    changes: (JSON.parse(detail) as Change[]).map(describeChange),
    scope: 'vuln' as const,
    source,
  }))
  // What came with a first load has no entry for its arrival.
  const hasArrival = entries.length === maxEntries || entries.some(({ kind }) => kind === 'new')
  return hasArrival ? told : [...told, arrival(vuln.created_at)]
}

const arrival = (date: string) => ({
  date,
  reason: changeReasons.new,
  changes: [describeChange({ field: 'created', state: 'published' })],
  scope: 'vuln' as const,
  source: 'first load',
})
