import { sql } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { policies } from '../domain/people/access'
import type { DecisionScope } from '../domain/decisions/decision-scope'
import { Failure, needsManager, notFound } from '../http/errors'
import { isWatched } from '../watchlist/monitored'
import { followDecisions } from './components'
import { describeVulns } from './describe'
import { openUndo, sealUndo, type Entries } from './undo-token'
import { isDecidedHere, parseBody, toChanged, writeDecisions } from './write'

type Row = {
  scope: DecisionScope
  id: number
  cveid: string | null
  inventory_id: number
  component_id: number
  verdict: string | null
  before: string | null
  is_standing: number
}

const maxUndone = 1_000

type Undoing = { changes: string[]; ids?: number[] | undefined }

/** Each row gets back what stood before the changes, unless it was decided anew meanwhile. */
export async function undoChanges(db: Db, { changes: tokens, ids }: Undoing, by: By) {
  const { org_id, user_id } = by.actor
  const batches = await openUndo(by.env, tokens)
  const [found, write] = await Promise.all([findEntries(db, org_id, batches), readyAuditBy(db, by)])
  const entries = ids ? found.filter(({ id }) => ids.includes(id)) : found
  if (!entries.length) throw notFound('Change')
  if (entries.length > maxUndone) throw new Failure(400, 'too_many', `At most ${maxUndone} decisions at once`)
  if (entries.some(isForManagers) && !policies.manageMetadata(by.actor)) throw needsManager('Undo this decision')
  const rows = [...Map.groupBy(entries, toKey).values()]
  // Decisions that a later change replaced go back as well, to those before the first.
  const standing = rows.flatMap((changes) => changes.find(({ is_standing }) => is_standing) ?? [])
  const statements = [...Map.groupBy(standing, ({ scope }) => scope)].flatMap(([scope, changes]) =>
    writeDecisions(db, scope, changes.map(toChange), { org_id, user_id, now: by.now }),
  )
  const places = Map.groupBy(
    standing.filter(({ scope }) => scope === 'component'),
    ({ inventory_id }) => inventory_id,
  )
  const following = [...places].flatMap(([inventory_id, changed]) =>
    followDecisions(db, { org_id, inventory_id }, changed.map(toChange), by.now),
  )
  const vulns = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
  const audit = {
    action: 'decision.undo' as const,
    ...describeVulns(vulns, { decisions: rows.length, undone: standing.length }),
  }
  const { entries: written, changed: undone } = toChanged(await write([...statements, ...following], audit))
  return {
    status: 'success' as const,
    undone,
    skipped: rows.length - undone,
    undo: await sealUndo(by.env, written),
  }
}

/** Oldest first. One stands if nothing but these changes came after it; a vulnerability no longer monitored has no work to go back to. */
const findEntries = (db: Db, org_id: number, batches: Entries[]) =>
  db.all<Row>(sql`
    WITH chosen AS (SELECT c.id FROM json_each(${JSON.stringify(batches)}) j CROSS JOIN decision_changes c
      ON c.id BETWEEN j.value ->> 'first' AND j.value ->> 'last' AND c.org_id = ${org_id} LIMIT ${maxUndone + 1})
    SELECT e.scope, vulns.id, vulns.cveid, e.inventory_id, e.component_id, e.verdict, e.before,
      NOT EXISTS (SELECT 1 FROM decision_changes l WHERE l.org_id = e.org_id AND l.vuln_id = e.vuln_id AND l.id > e.id
        AND l.scope = e.scope AND l.inventory_id = e.inventory_id AND l.component_id = e.component_id
        AND l.id NOT IN (SELECT id FROM chosen) AND ${sql.raw(isDecidedHere('l'))})
      AND (e.scope NOT IN ('vulnerability', 'assignee') OR ${isWatched(sql`${org_id}`, sql`vulns.id`)}) AS is_standing
    FROM (SELECT DISTINCT id FROM chosen) k CROSS JOIN decision_changes e ON e.id = k.id CROSS JOIN vulns ON vulns.id = e.vuln_id
    ORDER BY e.id`)

const toKey = ({ scope, id, inventory_id, component_id }: Row) => `${scope} ${id} ${inventory_id} ${component_id}`

/** A manager's decision is taken back by a manager alone. */
export const isForManagers = ({ scope, verdict, before }: Pick<Row, 'scope' | 'verdict' | 'before'>) =>
  scope === 'component' ||
  scope === 'request' ||
  verdict === 'accepted' ||
  (before !== null && parseBody(before).verdict === 'accepted')

const toChange = ({ id, inventory_id, component_id, before }: Row) => ({
  vuln_id: id,
  inventory_id,
  component_id,
  decision: before === null ? null : parseBody(before),
})
