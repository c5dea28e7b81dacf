import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { policies } from '../domain/access'
import { Failure, needsManager } from '../http/errors'
import { decideComponents } from './components'
import type { MadeDecision } from './decide-contract'
import { saveSnoozes } from './quiet'
import { sealUndo } from './undo-token'
import type { Entries } from './undo-token'
import { assign, setStatuses } from './work'

type Outcome = { set: number[]; entries: Entries | null; refusal: string | null }

/** One after another, as a later one may be about the same vulnerability; one that is refused holds no other back. */
export async function decideEach(db: Db, decisions: MadeDecision[], by: By) {
  const outcomes: Outcome[] = []
  for (const decision of decisions) outcomes.push(await decideOne(db, decision, by))
  const results = outcomes.map(({ set, refusal }, at) => ({ set, refusal, skipped: findSkipped(decisions[at], set) }))
  return {
    results,
    undo: await sealUndo(
      by.env,
      outcomes.map(({ entries }) => entries),
    ),
  }
}

async function decideOne(db: Db, decision: MadeDecision, by: By): Promise<Outcome> {
  try {
    return { ...(await write(db, decision, by)), refusal: null }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { set: [], entries: null, refusal: error.issues?.[0]?.message ?? error.message }
  }
}

async function write(db: Db, decision: MadeDecision, by: By) {
  switch (decision.scope) {
    case 'vulnerability':
      return setStatuses(db, decision.ids, decision.decision, by)
    case 'alerts':
      return saveSnoozes(db, decision.ids, decision.decision, by)
    case 'assignee':
      return assign(db, decision.ids, decision.decision, by)
    case 'component':
      if (!policies.manageMetadata(by.actor)) throw needsManager('Decide on a component')
      return decideComponents(db, { name: decision.inventory, ...decision }, by)
  }
}

function findSkipped(decision: MadeDecision | undefined, set: number[]) {
  if (!decision) return []
  const ids = decision.scope === 'component' ? decision.findings.map(({ vuln_id }) => vuln_id) : decision.ids
  return [...new Set(ids)].filter((id) => !set.includes(id))
}
