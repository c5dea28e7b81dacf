import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { policies } from '../domain/people/access'
import { Failure, needsManager } from '../http/errors'
import { decideComponents } from './components'
import type { MadeDecision } from './decide-contract'
import { saveSnoozes } from './quiet'
import { sealUndo, type Entries } from './undo-token'
import { assign, setStatuses } from './work'

/** One after another, as a later one may be about the same vulnerability; one that is refused holds no other back. */
export async function decideEach(db: Db, decisions: MadeDecision[], by: By) {
  const results: Awaited<ReturnType<typeof decideOne>>[] = []
  for (const decision of decisions) results.push(await decideOne(db, decision, by))
  return { results }
}

async function decideOne(db: Db, decision: MadeDecision, by: By) {
  try {
    const { set, entries, is_requested = false } = await write(db, decision, by)
    const undo = await sealUndo(by.env, entries)
    return { set, skipped: findSkipped(decision, set), refusal: null, is_requested, undo }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return {
      set: [],
      skipped: findSkipped(decision, []),
      refusal: error.issues?.[0]?.message ?? error.message,
      is_requested: false,
      undo: null,
    }
  }
}

type Written = { set: number[]; entries: Entries | null; is_requested?: boolean }

async function write(db: Db, decision: MadeDecision, by: By): Promise<Written> {
  switch (decision.scope) {
    case 'vulnerability':
      return setStatuses(db, decision.ids, decision.decision, by)
    case 'alerts':
      return saveSnoozes(db, decision, decision.decision, by)
    case 'assignee':
      return assign(db, decision.ids, decision.decision, by)
    case 'component':
      if (!policies.manageMetadata(by.actor)) throw needsManager('Decide on a component')
      return decideComponents(db, { name: decision.inventory, ...decision }, by)
  }
}

function findSkipped(decision: MadeDecision, set: number[]) {
  const ids = decision.scope === 'component' ? decision.findings.map(({ vuln_id }) => vuln_id) : decision.ids
  return [...new Set(ids)].filter((id) => !set.includes(id))
}
