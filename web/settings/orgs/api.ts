import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { createOrg, disableOrg, enableOrg, listOrgs, removeOrg, setTrial } from '../../../worker/orgs/contract'
import type { OrgQuery } from '../../../worker/orgs/contract'
import { call } from '../../lib/call'
import { accepted } from '../../lib/outcome'

export const orgsQuery = (query: z.output<typeof OrgQuery>) =>
  queryOptions({
    queryKey: ['orgs', 'list', query],
    queryFn: ({ signal }) => call(listOrgs, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get organizations' },
  })

/** Organizations and their members are one matter: what changes one may change the other. */
export const refreshOrgs = (client: QueryClient) => client.invalidateQueries({ queryKey: ['orgs'] })

type NewOrg = { name: string; is_active: boolean; email: string }

export const newOrg = mutationOptions({
  mutationFn: async (body: NewOrg) => accepted(await call(createOrg, { body })),
  onSuccess: (_reply, _org, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly created.', failure: 'Unable to create the Organization.' },
})

export const enableOrganization = mutationOptions({
  mutationFn: async (id: number) => accepted(await call(enableOrg, { params: { id } })),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly enabled.', failure: 'Unable to enable the Organization.' },
})

export const disableOrganization = mutationOptions({
  mutationFn: async (id: number) => accepted(await call(disableOrg, { params: { id } })),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly disabled.', failure: 'Unable to disable the Organization.' },
})

export const removeOrganization = mutationOptions({
  mutationFn: async (id: number) => accepted(await call(removeOrg, { params: { id } })),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Organization successfuly removed.', failure: 'Unable to remove the Organization.' },
})

export const extendTrial = mutationOptions({
  mutationFn: ({ id, days }: { id: number; days: number }) => call(setTrial, { params: { id }, body: { days } }),
  onSuccess: (_reply, _trial, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Trial extended', failure: 'Unable to extend the trial' },
})

export const convertTrial = mutationOptions({
  mutationFn: (id: number) => call(setTrial, { params: { id }, body: { convert: true } }),
  onSuccess: (_reply, _id, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Trial converted', failure: 'Unable to convert the trial' },
})
