import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { endSnooze, getSnooze, setSnooze } from '../../../worker/decisions/quiet-contract'
import type { Snooze, SnoozeChange } from '../../../worker/decisions/quiet-contract'
import type { VulnStatus } from '../../../worker/domain/status'
import { editStatus, editStatuses, statusHistory } from '../../../worker/triage/contract'
import { assignVulns, listAssignees, listMarks } from '../../../worker/triage/inbox-contract'
import type { VulnMarks } from '../../../worker/triage/inbox-contract'
import { call } from '../../lib/call'
import { Refusal } from '../../lib/outcome'

export const assigneesQuery = queryOptions({
  queryKey: ['vulns', 'assignees'],
  queryFn: ({ signal }) => call(listAssignees, { signal }),
})

export type Until = Pick<z.input<typeof SnoozeChange>, 'until' | 'on_fix' | 'on_kev' | 'on_exploit'>

export type Change =
  | { kind: 'status'; status: VulnStatus }
  | { kind: 'assign'; user_id: number | null }
  | { kind: 'snooze'; until: Until }

/** `name` describes the change to people. */
export type BulkChange = { ids: number[]; change: Change; name: string }
export type Changed = { set: number[]; skipped: number[]; undo: () => Promise<unknown> }

/** Runs changes one after another, because the undo of a change depends on the state before it. */
const inTurn = { id: 'triage' }

export const changeMutation = mutationOptions({
  scope: inTurn,
  mutationFn: send,
  onSuccess: (_done, _order, _result, { client }) => refreshTriage(client),
  onError: (_error, _order, _result, { client }) => refreshTriage(client),
})

export const undoMutation = mutationOptions({
  scope: inTurn,
  mutationFn: (made: Promise<Changed>) => made.then(({ undo }) => undo(), refuseUndo),
  onSuccess: (_reply, _made, _result, { client }) => refreshTriage(client),
  onError: (_error, _made, _result, { client }) => refreshTriage(client),
  meta: { success: 'Undone.', failure: 'Unable to undo it' },
})

const refuseUndo = () => {
  throw new Refusal('The change had failed: there is nothing to undo.')
}

/** Nobody waits for this: the next change reads the state itself. */
function refreshTriage(client: QueryClient) {
  void client.invalidateQueries({ queryKey: ['vulns'] })
  void client.invalidateQueries({ queryKey: ['alerts', 'snooze'] })
}

async function send({ ids, change }: BulkChange): Promise<Changed> {
  const { results: marks } = await call(listMarks, { query: { ids: ids.join() } })
  const changed = await makeChange(marks, change)
  if (!changed.set.length) throw new Refusal('Only what is monitored can be changed.')
  return changed
}

function makeChange(marks: VulnMarks[], change: Change): Promise<Changed> {
  if (change.kind === 'status') return setStatuses(marks, change.status)
  return change.kind === 'assign' ? assignTo(marks, change.user_id) : snooze(marks, change.until)
}

const listIds = (marks: VulnMarks[]) => marks.map(({ id }) => id)

async function setStatuses(marks: VulnMarks[], status: VulnStatus): Promise<Changed> {
  // A new status removes the reason, owner and last day of the old one: we read them for the undo.
  const stated = marks.filter((one) => one.status !== 'undefined')
  const before = await Promise.all(
    stated.map(async ({ id }) => ({ id, ...(await call(statusHistory, { params: { id } })) })),
  )
  const { set, skipped } = await call(editStatuses, { body: { ids: listIds(marks), status } })
  const stood = before.filter(({ id }) => set.includes(id))
  const bare = set.filter((id) => !stood.some((one) => one.id === id))
  const undo = () =>
    Promise.all([
      ...(bare.length ? [call(editStatuses, { body: { ids: bare, status: 'undefined' } })] : []),
      ...stood.map(({ id, status: old, justification, note, owner, expires_at }) =>
        call(editStatus, { params: { id }, body: { status: old, justification, note, owner, expires_at } }),
      ),
    ])
  return { set, skipped, undo }
}

async function assignTo(marks: VulnMarks[], user_id: number | null): Promise<Changed> {
  const { set, skipped } = await call(assignVulns, { body: { ids: listIds(marks), user_id } })
  const changed = marks.filter(({ id }) => set.includes(id))
  const undo = () =>
    Promise.all(
      [...Map.groupBy(changed, ({ assignee }) => assignee?.id ?? null)].map(([before, members]) =>
        call(assignVulns, { body: { ids: listIds(members), user_id: before } }),
      ),
    )
  return { set, skipped, undo }
}

async function snooze(marks: VulnMarks[], until: Until): Promise<Changed> {
  const asleep = marks.filter(({ is_snoozed }) => is_snoozed)
  const before = await Promise.all(
    asleep.map(async ({ id }) => ({ id, snooze: (await call(getSnooze, { params: { id } })).snooze })),
  )
  const snoozes = new Map(before.map((one) => [one.id, one.snooze]))
  const [set, failures]: [number[], unknown[]] = [[], []]
  for (const { id } of marks)
    await call(setSnooze, { params: { id }, body: until }).then(
      () => set.push(id),
      (error: unknown) => failures.push(error),
    )
  if (!set.length) throw failures[0]
  const undo = async () => {
    for (const id of set) await wakeOrRestore(id, snoozes.get(id) ?? null)
  }
  return { set, skipped: listIds(marks).filter((id) => !set.includes(id)), undo }
}

function wakeOrRestore(id: number, before: Snooze | null): Promise<unknown> {
  if (!before) return call(endSnooze, { params: { id } })
  const { kind, until, on_fix, on_kev, on_exploit, epss_above, reason, owner } = before
  return call(setSnooze, {
    params: { id },
    body: {
      kind,
      on_fix,
      on_kev,
      on_exploit,
      reason,
      ...(until !== null && { until }),
      ...(epss_above !== null && { epss_above }),
      ...(owner && { owner_id: owner.id }),
    },
  })
}
