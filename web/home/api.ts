import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { ProductRow } from '../../worker/kb/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { getOrgSettings, updateOrgSettings } from '../../worker/orgs/contract'
import { latestVulns, vulnStats } from '../../worker/home/contract'
import { call } from '../lib/call'

export const latest_days = 30

export const statsQuery = queryOptions({
  queryKey: ['vulns', 'stats'],
  queryFn: ({ signal }) => call(vulnStats, { signal }),
  meta: { failure: 'Unable to get stats' },
})

export const latestQuery = queryOptions({
  queryKey: ['vulns', 'latest'],
  queryFn: ({ signal }) => call(latestVulns, { query: { timedelta: latest_days }, signal }),
  meta: { failure: 'Unable to get vulnerabilities and exploits' },
})

type Changes = { changes: { product: ProductRow; monitored: boolean }[]; organization_id: number | undefined }

export const monitorProducts = mutationOptions({
  mutationFn: ({ changes, organization_id }: Changes) =>
    Promise.all(
      changes.map(({ product: { id, vendor, name }, monitored }) =>
        call(toggleProduct, {
          body: { product_id: id, vendor_name: vendor, product_name: name, monitored, organization_id },
        }),
      ),
    ),
  onSuccess: (_replies, _changes, _result, { client }) =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['products'] }),
      client.invalidateQueries({ queryKey: ['vulns'] }),
    ]),
  meta: { success: 'Monitoring status successfuly updated.', failure: 'Unable to change the monitoring status' },
})

export const orgSettingsQuery = (org_id: number) =>
  queryOptions({
    queryKey: ['orgs', 'settings', org_id],
    queryFn: ({ signal }) => call(getOrgSettings, { params: { org_id }, signal }),
    meta: { failure: 'Unable to get org settings profile' },
  })

export const saveContactEmails = mutationOptions({
  mutationFn: (body: { org_id: number; alerts_emails: string[] }) => call(updateOrgSettings, { body }),
  onSuccess: (_settings, _body, _result, { client }) => client.invalidateQueries({ queryKey: ['orgs'] }),
  meta: { failure: 'Unable to update organization settings :/' },
})
