import { and, desc, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { describeChange } from '../../domain/change'
import type { VulnChange } from '../../domain/change'
import { notFound } from '../../http/errors'
import { vulnChanges, vulns } from '../../schema/vulns'
import { isVisible } from '../../watchlist/visible'

const maxEntries = 200
export const changeReasons = { new: 'New vulnerability', updated: 'Updated', minor: 'Details changed' }

/** The newest entries of the change log, oldest first; one that speaks of exploits, too, is told as two. */
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
  const history = entries.toReversed().flatMap(({ at, kind, source, detail }) =>
    byScope(JSON.parse(detail) as VulnChange[]).map(({ scope, changes }) => ({
      date: at,
      reason: changeReasons[kind],
      changes: changes.map(describeChange),
      scope,
      source,
    })),
  )
  // What came with a first load has no entry for its arrival.
  const hasArrival = entries.length === maxEntries || entries.some(({ kind }) => kind === 'new')
  return hasArrival ? history : [arrival(vuln.created_at), ...history]
}

const scopes = ['vuln', 'exploit', 'threat'] as const
type Scope = (typeof scopes)[number]

function byScope(changes: VulnChange[]) {
  const groups = Map.groupBy(changes, ({ field }) => fieldScopes.get(field) ?? 'vuln')
  if (!groups.size) return [{ scope: 'vuln' as const, changes }]
  return scopes.flatMap((scope) => {
    const group = groups.get(scope)
    return group ? [{ scope, changes: group }] : []
  })
}

const fieldScopes = new Map<VulnChange['field'], Scope>([
  ['exploits', 'exploit'],
  ['is_exploitable', 'exploit'],
  ['kev_added_at', 'threat'],
  ['is_in_the_wild', 'threat'],
  ['is_in_the_news', 'threat'],
])

const arrival = (date: string) => ({
  date,
  reason: changeReasons.new,
  changes: [describeChange({ field: 'created', state: 'published' })],
  scope: 'vuln' as const,
  source: 'first load',
})
