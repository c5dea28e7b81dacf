import type { EnsureQueryDataOptions, QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client'

/** Ignores errors: the screen asks again and shows them. */
export const ensure = <Data, Key extends QueryKey>(options: EnsureQueryDataOptions<Data, Error, Data, Key>) =>
  queryClient
    .ensureQueryData({ ...options, meta: {}, retry: false, revalidateIfStale: true })
    .catch((): undefined => undefined)
