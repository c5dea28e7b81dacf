import { VulnQuery } from '../worker/vulns/contract'
import { latestQuery, newsQuery, statsQuery } from './home/api'
import { readFilters } from './lib/filters'
import { queryClient } from './lib/query-client'
import { vulnQuery, vulnsQuery } from './vulns/api'
import { listDefaults } from './vulns/list/defaults'

// A screen that fails to be had early is asked for again, and tells then.
const silent = { meta: {}, retry: false }

export const startHome = (search: string) => {
  const group = new URLSearchParams(search).get('group') ?? undefined
  void queryClient.prefetchQuery({ ...statsQuery, ...silent })
  void queryClient.prefetchQuery({ ...newsQuery, ...silent })
  void queryClient.prefetchQuery({ ...latestQuery(group), ...silent })
}

export const startList = (search: string) =>
  void queryClient.prefetchQuery({
    ...vulnsQuery(readFilters(VulnQuery, new URLSearchParams(search), listDefaults)),
    ...silent,
  })

export function startVuln(id: string | undefined) {
  if (id && /^[1-9]\d{0,14}$/.test(id)) void queryClient.prefetchQuery({ ...vulnQuery(Number(id)), ...silent })
}
