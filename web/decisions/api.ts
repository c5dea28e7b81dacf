import { mutationOptions, queryOptions, type QueryClient } from '@tanstack/react-query'
import {
  editDecisionSettings,
  exportAccepted,
  getDecisionSettings,
  listAccepted,
  listDecisions,
  settleAccepting,
} from '../../worker/decisions/contract'
import type { RegisterQueryInput } from '../../worker/decisions/contract'
import { makeDecisions, endSnooze, getSnooze, undoDecisions } from '../../worker/decisions/decide-contract'
import type { Made, MadeDecisionInput } from '../../worker/decisions/decide-contract'
import { editDuePolicy, getDuePolicy, type DueSettings } from '../../worker/decisions/due-contract'
import { listAssignees } from '../../worker/triage/inbox-contract'
import { act, askFor, askPage, change } from '../lib/ask'
import { call, callForFile } from '../lib/call'
import { plural } from '../lib/format'
import { showError, showSuccess, showWarning } from '../lib/notice'
import { Refusal } from '../lib/outcome'
import { showFailure } from '../lib/query-client'
import { saveFile } from '../lib/save-file'
import { showUndo } from '../ui/undo-notice'

export const snoozeQuery = (id: number, enabled: boolean) =>
  queryOptions({
    queryKey: ['decisions', 'quiet', id],
    queryFn: ({ signal }) => call(getSnooze, { params: { id }, signal }),
    enabled,
  })

export const decisionsQuery = (id: number) => askFor(['decisions', 'of', id], listDecisions, { params: { id } })

export const acceptedQuery = (query: RegisterQueryInput) =>
  askPage(['decisions', 'accepted', query], listAccepted, { query }, 'Unable to get the accepted risks')

export const decisionSettingsQuery = askFor(['decisions', 'settings'], getDecisionSettings, {})

export const duePolicyQuery = askFor(['decisions', 'due-policy'], getDuePolicy, {})

export const assigneesQuery = askFor(['vulns', 'assignees'], listAssignees, {})

export const refreshDecided = (client: QueryClient) =>
  Promise.all(
    [['vulns'], ['inventories'], ['decisions'], ['alerts', 'why']].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  )

const failures: Record<MadeDecisionInput['scope'], string> = {
  vulnerability: 'Unable to modify the status.',
  alerts: 'Unable to snooze the vulnerability',
  assignee: 'Unable to assign the vulnerability',
  component: 'Unable to save the decision',
}

function describeMade(scope: MadeDecisionInput['scope'], { set, is_requested }: Made) {
  if (is_requested) return 'Asked for approval: alerts stay as they are until another manager approves.'
  if (scope === 'alerts')
    return set.length > 1
      ? `Alerts for ${set.length} vulnerabilities are paused.`
      : 'Alerts for this vulnerability are paused.'
  return { vulnerability: 'Status successfuly modified.', assignee: 'Assigned', component: 'Decision saved' }[scope]
}

export const decideMutation = mutationOptions({
  mutationFn: async (decision: MadeDecisionInput) => {
    const [made] = (await call(makeDecisions, { body: { decisions: [decision] } })).results
    if (!made?.set.length) throw new Refusal(made?.refusal ?? 'Only what is monitored can be changed.')
    return made
  },
  onSuccess: (made, { scope }, _result, { client }) => {
    const { length: skipped } = made.skipped
    if (skipped)
      showError(
        scope === 'alerts' ? `${skipped} could not be changed` : `${skipped} not monitored: they have no status`,
      )
    tellDecided(client, describeMade(scope, made), made.undo)
    return refreshDecided(client)
  },
  onError: (error, { scope }) => showFailure(error, failures[scope]),
})

/** With an undo where something changed. */
function tellDecided(client: QueryClient, message: string, undo: string | null) {
  if (undo) showUndo(message, () => void takeBack(client, { changes: [undo] }))
  else showSuccess(message)
}

/** Answers what takes the undo itself back. */
export async function takeBack(client: QueryClient, body: { changes: string[]; ids?: number[] }) {
  try {
    const { skipped, undo } = await call(undoDecisions, { body })
    if (skipped) showWarning(`${plural(skipped, 'decision was', 'decisions were')} changed since then and left alone.`)
    else showSuccess('Undone.')
    await refreshDecided(client)
    return undo
  } catch (error) {
    if (error instanceof Error) showFailure(error, 'Unable to undo it')
    return null
  }
}

export const endSnoozeMutation = (id: number) =>
  mutationOptions({
    mutationFn: () => call(endSnooze, { params: { id } }),
    onSuccess: ({ undo }, _given, _result, { client }) => {
      tellDecided(client, 'Alerts for this vulnerability are on again.', undo)
      return refreshDecided(client)
    },
    meta: { failure: 'Unable to end the snooze' },
  })

export const settleMutation = mutationOptions({
  mutationFn: ({ id, ...body }: { id: number; approved: boolean; asked_at: string }) =>
    call(settleAccepting, { params: { id }, body }),
  onSuccess: ({ undo }, { approved }, _result, { client }) => {
    tellDecided(client, approved ? 'The risk is accepted.' : 'The request is refused.', undo)
    return refreshDecided(client)
  },
  meta: { failure: 'Unable to settle the request' },
})

export const editDecisionSettingsMutation = change(
  [decisionSettingsQuery.queryKey],
  (needs_approver: boolean) => call(editDecisionSettings, { body: { needs_approver } }),
  { success: 'Settings saved.', failure: 'Unable to save the settings' },
)

export const editDuePolicyMutation = change(
  [['decisions'], ['vulns'], ['inventories']],
  (body: Omit<DueSettings, 'remaking'>) => call(editDuePolicy, { body }),
  { success: 'Due dates follow the policy.', failure: 'Unable to save the due dates' },
)

export const exportAcceptedMutation = act(
  async ({ format, chosen }: { format: 'csv' | 'json'; chosen: RegisterQueryInput }) => {
    const { kind, is_due, sorted_by } = chosen
    const file = await callForFile(exportAccepted, { params: { format }, query: { kind, is_due, sorted_by } })
    saveFile(file, `accepted-risks.${format}`)
  },
  { failure: 'Unable to export the accepted risks' },
)
