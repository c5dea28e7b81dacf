import { queryOptions } from '@tanstack/react-query'
import { publicSettings } from '../../worker/auth/settings-contract'
import { call } from './call'

export const publicSettingsQuery = queryOptions({
  queryKey: ['public-settings'],
  queryFn: () => call(publicSettings),
  staleTime: Infinity,
})
