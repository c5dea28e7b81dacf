import { mutationOptions } from '@tanstack/react-query'
import { makeDecisions, undoDecisions, type MadeDecisionInput } from '../../../worker/decisions/decide-contract'
import type { VulnStatus } from '../../../worker/domain/decisions/status'
import { refreshDecided } from '../../decisions/api'
import { ApiError, call } from '../../lib/call'
import { Refusal } from '../../lib/outcome'
import { toQuickDecision, type QuickChange } from '../quick-dialogs'

export type Change = { kind: 'status'; status: VulnStatus } | QuickChange

/** `name` describes the change to people. */
export type BulkChange = { ids: number[]; change: Change; name: string }
export type Changed = { set: number[]; skipped: number[]; undo: string | null }

/** Runs writes one after another, so that the last one pressed is the last one made. */
const inTurn = { id: 'triage' }
const maxPauses = 8

/** Being told to wait is no failure: the change is made later. */
export const changeMutation = mutationOptions({
  scope: inTurn,
  mutationFn: async (changes: BulkChange[]) => {
    const runs = joinRuns(changes)
    const decisions = runs.map(toDecision)
    const { results } = await call(makeDecisions, { body: { decisions }, keepalive: true })
    return runs.flatMap(({ parts }, at) => parts.map((ids) => findOutcome(results[at], ids)))
  },
  retry: (failures, error) => isThrottled(error) && failures < maxPauses,
  retryDelay: (failures, error) => 1_000 * Math.max(failures + 1, error instanceof ApiError ? error.wait_s : 0),
})

const isThrottled = (error: Error) => error instanceof ApiError && error.status === 429

type Answer = Changed & { refusal: string | null }

function findOutcome(made: Answer | undefined, ids: number[]) {
  const isIn = (id: number) => ids.includes(id)
  const set = made?.set.filter(isIn) ?? []
  if (!made || set.length === 0) return new Refusal(made?.refusal ?? 'Only what is monitored can be changed.')
  return { set, skipped: made.skipped.filter(isIn), undo: made.undo }
}

type Run = { change: Change; parts: number[][] }

const maxIds = 500

/** Neighbours that decide the same become one decision. */
function joinRuns(changes: BulkChange[]) {
  const runs: Run[] = []
  for (const { ids, change } of changes) {
    const last = runs.at(-1)
    const isSame = JSON.stringify(last?.change) === JSON.stringify(change)
    if (last && isSame && last.parts.flat().length + ids.length <= maxIds) last.parts.push(ids)
    else runs.push({ change, parts: [ids] })
  }
  return runs
}

/** Answers what earlier changes are taken back without: these, and their undo. */
export const undoMutation = mutationOptions({
  scope: inTurn,
  mutationFn: async (step: { made: Promise<Changed | undefined>[]; ids: number[]; later: string[] }) => {
    const made = (await Promise.all(step.made)).filter((change) => change !== undefined)
    if (made.length === 0) throw new Refusal('The change had failed: there is nothing to undo.')
    const changes = made.flatMap(({ undo }) => undo ?? [])
    if (changes.length === 0) return []
    const body = { changes: [...new Set([...changes, ...step.later])], ids: step.ids }
    const { undo } = await call(undoDecisions, { body })
    return [...changes, ...(undo === null ? [] : [undo])]
  },
  onSettled: (...[, , , , { client }]) => void refreshDecided(client),
  meta: { success: 'Undone.', failure: 'Unable to undo it' },
})

function toDecision({ change, parts }: Run): MadeDecisionInput {
  const ids = [...new Set(parts.flat())]
  if (change.kind === 'status') return { scope: 'vulnerability', ids, decision: { status: change.status } }
  return toQuickDecision(change, ids)
}
