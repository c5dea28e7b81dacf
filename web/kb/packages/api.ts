import { getPackage, listPackages, packageVulns } from '../../../worker/packages/contract'
import type { PackageQueryInput, PackageVulnQueryInput } from '../../../worker/packages/contract'
import { askFor, askPage } from '../../lib/ask'

export const packagesQuery = (query: PackageQueryInput) =>
  askPage(
    ['packages', 'list', query],
    listPackages,
    { query: { ...query, count: 'quick', vulns: 'none' } },
    'Unable to get packages',
  )

export const packageQuery = (id: number) =>
  askFor(['packages', 'detail', id], getPackage, { params: { id } }, 'Unable to get package details')

export const packageVulnsQuery = (id: number, query: PackageVulnQueryInput) =>
  askPage(['packages', 'vulns', id, query], packageVulns, { params: { id }, query }, 'Unable to get vulns')
