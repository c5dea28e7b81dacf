import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listExploits, listThreats } from '../../worker/exploits/contract'
import type { ExploitQueryInput, ThreatQueryInput } from '../../worker/exploits/contract'
import { listVulns } from '../../worker/vulns/contract'
import type { VulnQueryInput } from '../../worker/vulns/contract'
import { call } from '../lib/call'

export const foundVulnsQuery = (query: VulnQueryInput) =>
  queryOptions({
    queryKey: ['vulns', 'list', 'search', query],
    queryFn: ({ signal }) => call(listVulns, { query: { ...query, count: 'quick' }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get vulns.' },
  })

export const foundExploitsQuery = (query: ExploitQueryInput) =>
  queryOptions({
    queryKey: ['exploits', 'search', query],
    queryFn: ({ signal }) => call(listExploits, { query: { ...query, count: 'quick' }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get exploits.' },
  })

export const foundThreatsQuery = (query: ThreatQueryInput) =>
  queryOptions({
    queryKey: ['threats', 'search', query],
    queryFn: ({ signal }) => call(listThreats, { query: { ...query, count: 'quick' }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get threat news.' },
  })
