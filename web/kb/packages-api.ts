import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { getPackage, listPackages, packageVulns } from '../../worker/packages/contract'
import type { PackageQueryInput, PackageRow, PackageVulnQueryInput } from '../../worker/packages/contract'
import { togglePackage } from '../../worker/monitoring/contract'
import { call } from '../lib/call'

export const packagesQuery = (query: PackageQueryInput) =>
  queryOptions({
    queryKey: ['packages', 'list', query],
    queryFn: ({ signal }) => call(listPackages, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get packages' },
  })

export const packageQuery = (id: number) =>
  queryOptions({
    queryKey: ['packages', 'detail', id],
    queryFn: ({ signal }) => call(getPackage, { params: { id }, signal }),
    meta: { failure: 'Unable to get package details' },
  })

export const packageVulnsQuery = (id: number, query: PackageVulnQueryInput) =>
  queryOptions({
    queryKey: ['packages', 'vulns', id, query],
    queryFn: ({ signal }) => call(packageVulns, { params: { id }, query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get vulns' },
  })

type Toggle = { package: PackageRow; monitored: boolean; organization_id: number | undefined }

export const monitorPackage = mutationOptions({
  mutationFn: ({ package: { id }, ...body }: Toggle) => call(togglePackage, { body: { package_id: id, ...body } }),
  onSuccess: (_reply, _toggle, _result, { client }) =>
    Promise.all(['packages', 'vulns'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  meta: {
    success: 'Monitoring status successfuly updated.',
    failure: 'Unable to change the monitoring status',
    // S2 §8: two seconds.
    failure_ms: 2_000,
  },
})
