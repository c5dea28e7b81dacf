import { and, desc, eq } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { describeChange, type ChangeKind, type VulnChange } from '../../domain/alerts/change'
import { detailChange } from '../../domain/alerts/change-details'
import { findNewModels, lastDayBefore, listEpssModels, toSeen, type EpssModel } from '../../domain/scores/epss-models'
import { notFound } from '../../http/errors'
import { seenEpssModels } from '../../schema/feeds'
import { epssHistory, vulnChanges, vulns } from '../../schema/vulns'
import { isVisible } from '../../watchlist/visible'
import { compareText } from '../../domain/versions/orders/order'

const maxEntries = 200
export const changeReasons = { new: 'New vulnerability', updated: 'Updated', minor: 'Details changed' }

/** Oldest first. An entry that also has exploits becomes two. */
export async function findHistory(db: Db, org_id: number, vuln_id: number) {
  const [[vuln], entries, epss] = await db.batch([
    db
      .select({ id: vulns.id, created_at: vulns.created_at, epss: vulns.epss, seen: seenEpssModels })
      .from(vulns)
      .where(and(eq(vulns.id, vuln_id), isVisible(org_id))),
    db
      .select({ at: vulnChanges.at, kind: vulnChanges.kind, source: vulnChanges.source, detail: vulnChanges.detail })
      .from(vulnChanges)
      .where(eq(vulnChanges.vuln_id, vuln_id))
      .orderBy(desc(vulnChanges.seq))
      .limit(maxEntries),
    db
      .select({ until: epssHistory.until, epss: epssHistory.epss })
      .from(epssHistory)
      .where(eq(epssHistory.vuln_id, vuln_id))
      .orderBy(desc(epssHistory.until))
      .limit(maxEntries),
  ])
  if (!vuln) throw notFound('Vulnerability')
  const history = entries
    .toReversed()
    .flatMap(({ at, kind, source, detail }) =>
      byScope(JSON.parse(detail) as VulnChange[]).map(({ scope, changes }) =>
        toEntry({ at, kind, source }, scope, changes),
      ),
    )
  const moves = epssMoves(epss, vuln.epss).filter(({ to }) => !isLogged(history, to))
  const oldest = epss.at(-1)?.until
  const models = oldest ? findNewModels(listEpssModels(toSeen(vuln.seen)), lastDayBefore(oldest)) : []
  const all = [...models.map(toModelEntry), ...history, ...moves.map(toMove)].toSorted((a, b) =>
    compareText(a.date, b.date),
  )
  // A vulnerability of a first load has no entry for its arrival.
  const hasArrival = entries.length === maxEntries || entries.some(({ kind }) => kind === 'new')
  return hasArrival ? all : [toArrival(vuln.created_at), ...all]
}

type Logged = { at: string; kind: ChangeKind; source: string }

const toEntry = ({ at, kind, source }: Logged, scope: Scope, changes: VulnChange[]) => ({
  date: at,
  reason: changeReasons[kind],
  changes: changes.map(describeChange),
  details: changes.flatMap(detailChange),
  scope,
  source,
})
type Entry = ReturnType<typeof toEntry>

/** The change log holds only EPSS moves that are news; the history adds moves of at least this size. */
const shownMove = 0.01

type Move = { until: string; from: number; to: number }

function epssMoves(newestFirst: { until: string; epss: number }[], now: number | null): Move[] {
  const moves = newestFirst.map(({ until, epss }, at) => ({
    until,
    from: epss,
    to: newestFirst[at - 1]?.epss ?? now ?? epss,
  }))
  return moves.filter(({ from, to }) => Math.abs(to - from) >= shownMove)
}

const isLogged = (history: Entry[], to: number) =>
  history.some(
    ({ source, details }) => source === 'epss' && details.some((change) => change.field === 'epss' && change.to === to),
  )

const toMove = ({ until, from, to }: Move) =>
  toEntry({ at: until, kind: 'minor', source: 'epss' }, 'vuln', [{ field: 'epss', from, to }])

function toModelEntry({ name, since }: EpssModel) {
  const label = `New model of EPSS, ${name}: scores before and after are not comparable`
  const entry = toEntry({ at: since, kind: 'minor', source: 'epss' }, 'vuln', [])
  return { ...entry, changes: [label], details: [{ field: 'epss_model', label, from: null, to: null }] }
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
  ['exploited_by', 'threat'],
  ['is_in_the_wild', 'threat'],
  ['is_malicious', 'threat'],
  ['is_in_the_news', 'threat'],
])

const toArrival = (at: string) =>
  toEntry({ at, kind: 'new', source: 'first load' }, 'vuln', [{ field: 'created', state: 'published' }])
