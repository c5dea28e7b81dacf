import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import { exportVulns, listVulns, toggleVuln, toggleVulns, vulnCount } from '../../worker/vulns/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import type { ExportFormat, VulnQueryInput, VulnRow } from '../../worker/vulns/contract'
import type { VulnStatus } from '../../worker/domain/status'
import { editStatuses } from '../../worker/triage/contract'
import { metadataCounter } from '../../worker/exploits/contract'
import { call, callForFile } from '../lib/call'
import { saveFile } from '../lib/save-file'
import { showError, showSuccess } from '../lib/notice'

export const vulnsQuery = (query: VulnQueryInput) =>
  queryOptions({
    queryKey: ['vulns', 'list', query],
    queryFn: ({ signal }) => call(listVulns, { query: { ...query, count: 'quick' }, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'unable to get vulns' },
  })

/** How many there are, where a page only knows that there are more. */
export const vulnCountQuery = (query: VulnQueryInput) =>
  queryOptions({
    queryKey: ['vulns', 'count', query],
    queryFn: ({ signal }) => call(vulnCount, { query, signal }),
  })

export const vulnQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'detail', id],
    queryFn: ({ signal }) => call(getVuln, { params: { id }, signal }),
  })

export const historyQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'history', id],
    queryFn: async ({ signal }) => (await call(vulnHistory, { params: { id }, signal })).toReversed(),
  })

export const counterQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'counter', id],
    queryFn: ({ signal }) => call(metadataCounter, { params: { id }, signal }),
    meta: { failure: 'Unable to get counter' },
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

type VulnPage = { results: VulnRow[] }

/** In a list the server is asked what is monitored now: a product or a vendor may go on monitoring it. */
export const monitorListed = mutationOptions({
  mutationFn: async ({ vuln_id, ...body }: Toggle) => {
    await call(toggleVuln, { params: { id: vuln_id }, body: { vuln_id, ...body } })
    if (body.monitored) return true
    const { results } = await call(listVulns, { query: { q: `id=${vuln_id}` } })
    return results[0]?.monitored ?? false
  },
  onSuccess: (monitored, toggle, _result, { client }) => {
    if (monitored === toggle.monitored) showSuccess('Vulnerability monitoring successfuly updated.')
    else showError(`PH-${toggle.vuln_id} stays monitored through a product, a package or a vendor`)
    client.setQueriesData<VulnPage>(
      { queryKey: ['vulns', 'list'] },
      (page) => page && withMonitored(page, toggle, monitored),
    )
    void client.invalidateQueries({ queryKey: ['vulns'] })
  },
  meta: { failure: 'Unable to change the vulnerability monitoring status' },
})

const withMonitored = (page: VulnPage, { vuln_id }: Toggle, monitored: boolean): VulnPage => ({
  ...page,
  results: page.results.map((row) => (row.id === vuln_id ? { ...row, monitored } : row)),
})

export const monitorSelected = mutationOptions({
  mutationFn: (body: { ids: number[]; monitored: boolean; organization_id: number | undefined }) =>
    call(toggleVulns, { body }),
  onSuccess: (_reply, _given, _result, { client }) => client.invalidateQueries({ queryKey: ['vulns'] }),
  meta: {
    success: 'Vulnerability monitoring successfuly updated.',
    failure: 'Unable to change the vulnerability monitoring status',
  },
})

export const setStatusOfSelected = mutationOptions({
  mutationFn: (body: { ids: number[]; status: VulnStatus }) => call(editStatuses, { body }),
  onSuccess: ({ set, skipped }, _given, _result, { client }) => {
    if (set.length) showSuccess('Status successfuly modified.')
    if (skipped.length) showError(`${skipped.length} not monitored: they have no status`)
    return client.invalidateQueries({ queryKey: ['vulns'] })
  },
  meta: { failure: 'Unable to modify the status.' },
})

export const exportListed = mutationOptions({
  mutationFn: async ({ format, query }: { format: ExportFormat; query: VulnQueryInput }) => {
    const file = await callForFile(exportVulns, { params: { format }, query })
    saveFile(file, `earshot_vulns_${new Date().toISOString().slice(0, 10)}.${format}`)
  },
  meta: { failure: 'Unable to export the vulnerabilities' },
})
