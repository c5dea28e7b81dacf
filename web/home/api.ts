import { queryOptions } from '@tanstack/react-query'
import { latestVulns, vulnStats } from '../../worker/vulns/contract'
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
