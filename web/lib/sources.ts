import { queryOptions, useQuery } from '@tanstack/react-query'
import { listSources } from '../../worker/feeds/contract'
import { call } from './call'

const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: ({ signal }) => call(listSources, { signal }),
  staleTime: Infinity,
})

export function useSources() {
  const { data } = useQuery(sourcesQuery)
  return data?.sources ?? []
}
