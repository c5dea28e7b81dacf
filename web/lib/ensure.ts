import type { EnsureQueryDataOptions, QueryKey } from '@tanstack/react-query'
import { queryClient } from './query-client'

/** The data of a query before its screen asks for it. What fails is asked for again by the screen, and told then. */
export const ensure = <Data, Key extends QueryKey>(options: EnsureQueryDataOptions<Data, Error, Data, Key>) =>
  queryClient
    .ensureQueryData({ ...options, meta: {}, retry: false, revalidateIfStale: true })
    .catch((): undefined => undefined)
