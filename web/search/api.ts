import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { listExploits, listThreats } from '../../worker/exploits/contract'
import type { ExploitQueryInput, ThreatQueryInput } from '../../worker/exploits/contract'
import { importMonitored } from '../../worker/monitoring/contract'
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

/** Imports a list of one line, so that the name is awaited until a source has it. */
export const awaitCveMutation = mutationOptions({
  mutationFn: (cveid: string) =>
    call(importMonitored, { body: { file: `type,value,groups\r\nvuln,${cveid},\r\n`, mode: 'add', dry_run: false } }),
  onSuccess: (_reply, _cveid, _result, { client }) => client.invalidateQueries({ queryKey: ['monitored'] }),
  meta: {
    success: 'Vulnerability monitoring successfuly updated.',
    failure: 'Unable to change the vulnerability monitoring status',
  },
})
