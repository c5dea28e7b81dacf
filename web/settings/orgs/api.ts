import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { runSync } from '../../../worker/feeds/contract'
import {
  actInOrg,
  createOrg,
  disableOrg,
  enableOrg,
  listOrgs,
  removeOrg,
  setTrial,
  stopActing,
} from '../../../worker/orgs/contract'
import type { OrgQuery } from '../../../worker/orgs/contract'
import { call } from '../../lib/call'
import { enterOrg, goHome } from '../../session/enter-org'
import { isActing } from '../../session/session'

export const orgsQuery = (query: z.output<typeof OrgQuery>) =>
  queryOptions({
    queryKey: ['orgs', 'list', query],
    queryFn: ({ signal }) => call(listOrgs, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get organizations' },
  })

/** Organizations show their members and members their organizations, so both are asked again. */
export const refreshOrgs = (client: QueryClient) => client.invalidateQueries({ queryKey: ['orgs'] })

/** An admin who acts in one organization returns to their own before they enter the next. */
export const actInOrgMutation = mutationOptions({
  mutationFn: async (id: number) => {
    if (isActing()) await call(stopActing, { body: {} })
    await enterOrg(await call(actInOrg, { params: { id }, body: {} }))
  },
  onSuccess: goHome,
  meta: { failure: 'Unable to act in the organization' },
})

type NewOrg = { name: string; is_active: boolean; email: string }

export const createOrgMutation = mutationOptions({
  mutationFn: (body: NewOrg) => call(createOrg, { body }),
  onSuccess: (_reply, _org, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly created.', failure: 'Unable to create the Organization.' },
})

export const enableOrgMutation = mutationOptions({
  mutationFn: (id: number) => call(enableOrg, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly enabled.', failure: 'Unable to enable the Organization.' },
})

export const disableOrgMutation = mutationOptions({
  mutationFn: (id: number) => call(disableOrg, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly disabled.', failure: 'Unable to disable the Organization.' },
})

export const removeOrgMutation = mutationOptions({
  mutationFn: (id: number) => call(removeOrg, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly removed.', failure: 'Unable to remove the Organization.' },
})

export const extendTrialMutation = mutationOptions({
  mutationFn: ({ id, days }: { id: number; days: number }) => call(setTrial, { params: { id }, body: { days } }),
  onSuccess: (_reply, _trial, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Trial extended', failure: 'Unable to extend the trial' },
})

export const convertTrialMutation = mutationOptions({
  mutationFn: (id: number) => call(setTrial, { params: { id }, body: { convert: true } }),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Trial converted', failure: 'Unable to convert the trial' },
})

export const startSyncMutation = mutationOptions({
  mutationFn: () => call(runSync, {}),
  onSuccess: (_reply, _nothing, _result, { client }) => client.invalidateQueries({ queryKey: ['feeds'] }),
  meta: { success: 'Sync successfuly enqueued.', failure: 'Unable to start data sync from remote.' },
})
