import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { endSnooze, getSnooze, setSnooze } from '../../../worker/alerts/snooze-contract'
import type { Snooze, SnoozeChange } from '../../../worker/alerts/snooze-contract'
import type { VulnStatus } from '../../../worker/domain/status'
import { editStatus, editStatuses, statusHistory } from '../../../worker/triage/contract'
import { assignVulns, listAssignees, listMarks, markSeen } from '../../../worker/triage/inbox-contract'
import type { VulnMarks } from '../../../worker/triage/inbox-contract'
import { call } from '../../lib/call'

export const marksQuery = (ids: number[]) =>
  queryOptions({
    queryKey: ['vulns', 'marks', ids],
    queryFn: ({ signal }) => call(listMarks, { query: { ids: ids.join() }, signal }),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  })

export const assigneesQuery = queryOptions({
  queryKey: ['vulns', 'assignees'],
  queryFn: ({ signal }) => call(listAssignees, { signal }),
})

type Marks = { results: VulnMarks[] }

/** It shows at once; a mark is not worth a notice where it cannot be kept. */
export const markSeenMutation = mutationOptions({
  mutationFn: (body: { ids: number[]; is_seen: boolean }) => call(markSeen, { body }),
  onSuccess: (_reply, { ids, is_seen }, _result, { client }) =>
    client.setQueriesData<Marks>({ queryKey: ['vulns', 'marks'] }, (marks) => marks && withSeen(marks, ids, is_seen)),
})

const withSeen = ({ results }: Marks, ids: number[], is_seen: boolean): Marks => ({
  results: results.map((one) => (ids.includes(one.id) ? { ...one, is_unread: !is_seen } : one)),
})

export type Until = Pick<z.input<typeof SnoozeChange>, 'until' | 'on_fix' | 'on_kev' | 'on_exploit'>

/** What is done to one or several; each answers how it is taken back. */
export type Change =
  | { kind: 'status'; status: VulnStatus }
  | { kind: 'assign'; user_id: number | null }
  | { kind: 'snooze'; until: Until }

export type Changed = { set: number[]; skipped: number[]; undo: () => Promise<unknown> }

export const changeMutation = mutationOptions({
  mutationFn: ({ marks, change }: { marks: VulnMarks[]; change: Change }) => send(marks, change),
  onSuccess: (_done, _given, _result, { client }) => refreshTriage(client),
  meta: { failure: 'Unable to change the vulnerabilities' },
})

export const undoMutation = mutationOptions({
  mutationFn: (undo: Changed['undo']) => undo(),
  onSuccess: (_reply, _undo, _result, { client }) => refreshTriage(client),
  meta: { success: 'Taken back.', failure: 'Unable to take it back' },
})

const refreshTriage = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['vulns'] }),
    client.invalidateQueries({ queryKey: ['alerts', 'snooze'] }),
  ])

function send(marks: VulnMarks[], change: Change): Promise<Changed> {
  if (change.kind === 'status') return setStatuses(marks, change.status)
  return change.kind === 'assign' ? assignTo(marks, change.user_id) : snooze(marks, change.until)
}

const listIds = (marks: VulnMarks[]) => marks.map(({ id }) => id)

async function setStatuses(marks: VulnMarks[], status: VulnStatus): Promise<Changed> {
  // A status may have a reason, an owner and a last day, which a new one takes away.
  const stated = marks.filter((one) => one.status !== 'undefined')
  const before = await Promise.all(
    stated.map(async ({ id }) => ({ id, ...(await call(statusHistory, { params: { id } })) })),
  )
  const { set, skipped } = await call(editStatuses, { body: { ids: listIds(marks), status } })
  const bare = set.filter((id) => !before.some((one) => one.id === id))
  const undo = () =>
    Promise.all([
      ...(bare.length ? [call(editStatuses, { body: { ids: bare, status: 'undefined' } })] : []),
      ...before.map(({ id, status: old, justification, note, owner, expires_at }) =>
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
  for (const { id } of marks) await call(setSnooze, { params: { id }, body: until })
  const undo = async () => {
    for (const { id } of marks) await wakeOrRestore(id, snoozes.get(id) ?? null)
  }
  return { set: listIds(marks), skipped: [], undo }
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
