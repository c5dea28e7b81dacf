import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { countCap } from '../../worker/http/page'
import { exportVulns, listVulns, vulnCount } from '../../worker/vulns/contract'
import { getVuln, vulnHistory } from '../../worker/vulns/detail/contract'
import type { ExportFormat, VulnQueryInput, VulnRow } from '../../worker/vulns/contract'
import { correctSearch, searchTarget } from '../../worker/search/contract'
import { askFor, askPage } from '../lib/ask'
import { call, callForFile } from '../lib/call'
import { saveFile } from '../lib/save-file'
import { showError, showSuccess } from '../lib/notice'
import { refreshMonitored, requestMonitored } from '../watchlist/api'

/** So often a reading that stopped before the page was full goes on at once; an empty page is shown, and goes on by itself. */
const maxFurther = 4

export const vulnsAsk = (query: VulnQueryInput) => [listVulns, { query: { ...query, count: 'quick' } }] as const
export const vulnsQuery = (query: VulnQueryInput) => ({
  ...askPage(['vulns', 'list', query], ...vulnsAsk(query), 'unable to get vulns'),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const [contract, asked] = vulnsAsk(query)
    let page = await call(contract, { ...asked, signal })
    for (let steps = 0; steps < maxFurther && page.results.length > 0; steps++) {
      const { results, next, looked_at } = page
      if (!next || looked_at === null || !(results.length < Number(query.limit))) break
      const { page: at, after, version_window } = Object.fromEntries(new URL(next, location.origin).searchParams)
      const place = { page: at, after, version_window }
      const further = await call(contract, { query: { ...asked.query, ...place }, signal })
      page = { ...further, results: [...results, ...further.results], count: results.length + further.count }
    }
    return page
  },
})

/** Each step is short, so that nobody waits for a count. So many reach the end or 10,000 but for the rarest filters. */
const maxCountSteps = 60

export const vulnCountQuery = (query: VulnQueryInput) =>
  queryOptions({
    queryKey: ['vulns', 'count', query],
    queryFn: async ({ signal }) => {
      let [count, after] = [0, 0]
      for (let step = 0; step < maxCountSteps; step++) {
        const counted = await call(vulnCount, { query: { ...query, after }, signal })
        count += counted.count
        if (counted.next === null) return { count, count_is_exact: counted.count_is_exact }
        if (count > countCap) return { count: countCap, count_is_exact: false }
        after = counted.next
      }
      return { count, count_is_exact: false }
    },
  })

export const vulnAsk = (id: number) => [getVuln, { params: { id } }] as const
export const vulnQuery = (id: number) =>
  askFor(['vulns', 'detail', id], ...vulnAsk(id), () => 'Unable to get vuln details')

export const targetAsk = (term: string) => [searchTarget, { query: { term } }] as const
export const targetQuery = (term: string) => askFor(['search', 'target', term], ...targetAsk(term))

export const correctedQuery = (search: string) =>
  askFor(['search', 'corrected', search], correctSearch, { query: { search: search.slice(0, 300) } })

export const historyQuery = (id: number) =>
  queryOptions({
    queryKey: ['vulns', 'history', id],
    queryFn: async ({ signal }) => (await call(vulnHistory, { params: { id }, signal })).toReversed(),
  })

type VulnPage = { results: VulnRow[] }

/** Asks the server afterwards, because a product or a vendor may still monitor the vulnerability. */
export const setListedMonitoredMutation = mutationOptions({
  mutationFn: async ({ id, monitored }: { id: number; monitored: boolean }) => {
    await requestMonitored('vuln', [id], monitored)
    if (monitored) return true
    const { results } = await call(listVulns, { query: { q: `id=${id}` } })
    return results[0]?.monitored ?? false
  },
  onSuccess: (monitored, change, _result, { client }) => {
    if (monitored === change.monitored) showSuccess('Vulnerability monitoring successfuly updated.')
    else showError(`PH-${change.id} stays monitored through a product, a package or a vendor`)
    client.setQueriesData<VulnPage>(
      { queryKey: ['vulns', 'list'] },
      (page) => page && withMonitored(page, change.id, monitored),
    )
    void refreshMonitored(client, 'vuln')
  },
  meta: { failure: 'Unable to change the vulnerability monitoring status' },
})

const withMonitored = (page: VulnPage, id: number, monitored: boolean): VulnPage => ({
  ...page,
  results: page.results.map((row) => (row.id === id ? { ...row, monitored } : row)),
})

export const exportVulnsMutation = mutationOptions({
  mutationFn: async ({ format, query }: { format: ExportFormat; query: VulnQueryInput }) => {
    const file = await callForFile(exportVulns, { params: { format }, query })
    saveFile(file, `earshot_vulns_${new Date().toISOString().slice(0, 10)}.${format}`)
  },
  meta: { failure: 'Unable to export the vulnerabilities' },
})
