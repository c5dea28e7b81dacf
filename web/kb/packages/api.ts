import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getPackage, listPackages, packageVulns } from '../../../worker/packages/contract'
import type { PackageQueryInput, PackageVulnQueryInput } from '../../../worker/packages/contract'
import { call } from '../../lib/call'

export const packagesQuery = (query: PackageQueryInput) =>
  queryOptions({
    queryKey: ['packages', 'list', query],
    queryFn: ({ signal }) => call(listPackages, { query: { ...query, count: 'quick', vulns: 'none' }, signal }),
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
