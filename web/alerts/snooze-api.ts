import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { endSnooze, getSnooze, setSnooze } from '../../worker/decisions/quiet-contract'
import type { SnoozeChange } from '../../worker/decisions/quiet-contract'
import { listOrgUsers } from '../../worker/orgs/members/contract'
import { call } from '../lib/call'

export const snoozeQuery = (id: number, enabled: boolean) =>
  queryOptions({
    queryKey: ['alerts', 'snooze', id],
    queryFn: ({ signal }) => call(getSnooze, { params: { id }, signal }),
    enabled,
  })

export const ownersQuery = (enabled: boolean) =>
  queryOptions({
    queryKey: ['alerts', 'owners'],
    queryFn: ({ signal }) => call(listOrgUsers, { query: { limit: 100 }, signal }),
    enabled,
  })

const refresh = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['alerts', 'snooze'] }),
    client.invalidateQueries({ queryKey: ['alerts', 'why'] }),
  ])

export const saveSnoozeMutation = (id: number) =>
  mutationOptions({
    mutationFn: (body: z.input<typeof SnoozeChange>) => call(setSnooze, { params: { id }, body }),
    onSuccess: (_saved, _body, _result, { client }) => refresh(client),
    meta: { success: 'Alerts for this vulnerability are paused.', failure: 'Unable to snooze the vulnerability' },
  })

export const endSnoozeMutation = (id: number) =>
  mutationOptions({
    mutationFn: () => call(endSnooze, { params: { id } }),
    onSuccess: (_reply, _given, _result, { client }) => refresh(client),
    meta: { success: 'Alerts for this vulnerability are on again.', failure: 'Unable to end the snooze' },
  })
