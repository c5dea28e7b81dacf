import { queryOptions } from '@tanstack/react-query'
import { getWeakness } from '../../../worker/taxonomy/contract'
import { call } from '../../lib/call'

export const weaknessQuery = (id: number) =>
  queryOptions({
    queryKey: ['weaknesses', 'detail', id],
    queryFn: ({ signal }) => call(getWeakness, { params: { id: String(id) }, signal }),
  })
