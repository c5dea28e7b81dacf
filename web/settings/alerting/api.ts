import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import { getOrgSettings, updateOrgSettings } from '../../../worker/alerts/settings-contract'
import type { OrgSettings, OrgSettingsChange } from '../../../worker/alerts/settings-contract'
import { call } from '../../lib/call'

export type AlertSettings = z.output<typeof OrgSettings>
type AlertChange = z.input<typeof OrgSettingsChange>

export const orgSettingsQuery = (org_id: number) =>
  queryOptions({
    queryKey: ['orgs', 'settings', org_id],
    queryFn: ({ signal }) => call(getOrgSettings, { params: { org_id }, signal }),
    meta: { failure: 'Unable to get org settings profile' },
  })

export const updateOrgSettingsMutation = mutationOptions({
  mutationFn: (body: AlertChange) => call(updateOrgSettings, { body }),
  onSuccess: (settings, _change, _result, { client }) =>
    client.setQueryData(orgSettingsQuery(settings.org_id).queryKey, settings),
  meta: { success: 'Organization settings updated !', failure: 'Unable to update organization settings :/' },
})
