import { mutationOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { makeDecisions } from '../../../worker/decisions/decide-contract'
import type { MadeDecisionInput } from '../../../worker/decisions/decide-contract'
import type { SnoozeChange } from '../../../worker/decisions/quiet-contract'
import { undoDecisions } from '../../../worker/decisions/undo-contract'
import type { VulnStatus } from '../../../worker/domain/status'
import { refreshDecided } from '../../decisions/api'
import { call } from '../../lib/call'
import { Refusal } from '../../lib/outcome'

export type Until = Pick<z.input<typeof SnoozeChange>, 'until' | 'on_fix' | 'on_kev' | 'on_exploit'>

export type Change =
  | { kind: 'status'; status: VulnStatus }
  | { kind: 'assign'; user_id: number | null }
  | { kind: 'snooze'; until: Until }

/** `name` describes the change to people. */
export type BulkChange = { ids: number[]; change: Change; name: string }
export type Changed = { set: number[]; skipped: number[]; undo: string | null }

/** Runs changes one after another, so that the last one pressed is the last one made. */
const inTurn = { id: 'triage' }

export const changeMutation = mutationOptions({
  scope: inTurn,
  mutationFn: async (order: BulkChange): Promise<Changed> => {
    const { results } = await call(makeDecisions, { body: { decisions: [toDecision(order)] } })
    const [made] = results
    if (!made?.set.length) throw new Refusal(made?.refusal ?? 'Only what is monitored can be changed.')
    return made
  },
  // Nobody waits for this.
  onSuccess: (_done, _order, _result, { client }) => void refreshDecided(client),
  onError: (_error, _order, _result, { client }) => void refreshDecided(client),
})

/** The undo of an undo, so that what came before can be taken back after it. */
export const undoMutation = mutationOptions({
  scope: inTurn,
  mutationFn: async (step: { made: Promise<Changed>; ids: number[]; later: string[] }) => {
    const { undo } = await step.made.catch(refuseUndo)
    if (undo === null) return null
    return (await call(undoDecisions, { body: { changes: [undo, ...step.later], ids: step.ids } })).undo
  },
  onSuccess: (_reply, _step, _result, { client }) => void refreshDecided(client),
  onError: (_error, _step, _result, { client }) => void refreshDecided(client),
  meta: { success: 'Undone.', failure: 'Unable to undo it' },
})

const refuseUndo = () => {
  throw new Refusal('The change had failed: there is nothing to undo.')
}

function toDecision({ ids, change }: BulkChange): MadeDecisionInput {
  if (change.kind === 'status') return { scope: 'vulnerability', ids, decision: { status: change.status } }
  if (change.kind === 'assign') return { scope: 'assignee', ids, decision: { user_id: change.user_id } }
  return { scope: 'alerts', ids, decision: change.until }
}
