import { and, between, eq, sql } from 'drizzle-orm'
import { auditedBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { policies } from '../domain/access'
import type { DecisionScope } from '../domain/decision-scope'
import { needsManager, notFound } from '../http/errors'
import { decisionChanges } from '../schema/decisions'
import { isMonitored } from '../watchlist/monitored'
import { followDecisions } from './components'
import type { Undo } from './contract'
import { toUndo, writeDecisions } from './write'
import type { DecisionBody } from './write'

type Entry = {
  scope: DecisionScope
  vuln_id: number
  inventory_id: number
  component_id: number
  verdict: string | null
  before: string | null
  is_newest: number
}

/** Each row gets back what stood before, unless it was decided anew meanwhile. */
export async function undoChange(db: Db, { first, last }: NonNullable<Undo>, by: By) {
  const { org_id, user_id } = by.actor
  const entries = await findEntries(db, org_id, { first, last })
  if (!entries.length) throw notFound('Change')
  if (entries.some(isForManagers) && !policies.manageMetadata(by.actor)) throw needsManager('Undo this decision')
  const standing = entries.filter(({ is_newest }) => is_newest)
  const deciding = { org_id, user_id, now: by.now }
  const statements = [...Map.groupBy(standing, ({ scope }) => scope)].flatMap(([scope, rows]) =>
    writeDecisions(db, scope, rows.map(toChange), deciding),
  )
  const places = Map.groupBy(
    standing.filter(({ scope }) => scope === 'component'),
    ({ inventory_id }) => inventory_id,
  )
  const following = [...places].flatMap(([inventory_id, rows]) =>
    followDecisions(
      db,
      { org_id, inventory_id },
      rows.map(({ vuln_id }) => vuln_id),
      by.now,
    ),
  )
  const detail = { entries: entries.length, undone: standing.length }
  const audit = { action: 'decision.undo' as const, target: `${first} to ${last}`, detail }
  const { undo, changed } = toUndo(await auditedBy(db, [...statements, ...following], audit, by))
  return { status: 'success' as const, undone: changed, skipped: entries.length - changed, undo }
}

/** What was no longer monitored has no status to go back to. */
const findEntries = (db: Db, org_id: number, { first, last }: NonNullable<Undo>): Promise<Entry[]> => {
  const { id, scope, vuln_id, inventory_id, component_id, verdict, before } = decisionChanges
  return db
    .select({
      scope,
      vuln_id,
      inventory_id,
      component_id,
      verdict,
      before,
      is_newest:
        sql<number>`NOT EXISTS (SELECT 1 FROM decision_changes l WHERE l.org_id = ${org_id} AND l.vuln_id = decision_changes.vuln_id
        AND l.id > decision_changes.id AND l.scope = decision_changes.scope AND l.inventory_id = decision_changes.inventory_id
        AND l.component_id = decision_changes.component_id) AND (decision_changes.scope <> 'vulnerability' OR EXISTS (
          SELECT 1 FROM vulns WHERE vulns.id = decision_changes.vuln_id AND ${isMonitored(org_id)}))`.as('is_newest'),
    })
    .from(decisionChanges)
    .where(and(between(id, first, last), eq(decisionChanges.org_id, org_id)))
}

/** What only a manager may decide, only a manager takes back. */
const isForManagers = ({ scope, verdict, before }: Entry) =>
  scope === 'component' ||
  scope === 'request' ||
  verdict === 'accepted' ||
  (before !== null && parseBody(before).verdict === 'accepted')

const toChange = ({ vuln_id, inventory_id, component_id, before }: Entry) => ({
  vuln_id,
  inventory_id,
  component_id,
  decision: before === null ? null : parseBody(before),
})

/** As `writeDecisions` wrote it. */
const parseBody = (before: string) => JSON.parse(before) as DecisionBody
