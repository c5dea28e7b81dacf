import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { getVuln, listVulns, toggleVuln, vulnHistory } from '../../worker/vulns/contract'
import type { VulnQueryInput } from '../../worker/vulns/contract'
import { call } from '../lib/call'

export const vulnsQuery = (query: VulnQueryInput) =>
  queryOptions({
    queryKey: ['vulns', 'list', query],
    queryFn: ({ signal }) => call(listVulns, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get vulns' },
  })

export const vulnQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'detail', id],
    queryFn: ({ signal }) => call(getVuln, { params: { id }, signal }),
  })

export const historyQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'history', id],
    queryFn: ({ signal }) => call(vulnHistory, { params: { id }, signal }),
  })

type Toggle = { vuln_id: number; monitored: boolean; organization_id: number | undefined }

export const monitorVuln = mutationOptions({
  mutationFn: ({ vuln_id, ...body }: Toggle) =>
    call(toggleVuln, { params: { id: vuln_id }, body: { vuln_id, ...body } }),
  onSuccess: (_reply, _toggle, _result, { client }) => client.invalidateQueries({ queryKey: ['vulns'] }),
  meta: {
    success: 'Vulnerability monitoring successfuly updated.',
    failure: 'Unable to change the vulnerability monitoring status',
  },
})
