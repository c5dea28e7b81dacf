import { queryOptions } from '@tanstack/react-query'
import { calcRating, getRatingVector, ratingMetricWeights } from '../../worker/ratings/contract'
import type { RatingMetrics } from '../../worker/domain/scores/rating-vector'
import { askPage } from '../lib/ask'
import { call } from '../lib/call'

export const weightsQuery = queryOptions({
  queryKey: ['ratings', 'metrics'],
  queryFn: ({ signal }) => call(ratingMetricWeights, { signal }),
  staleTime: Infinity,
  meta: { failure: 'unable to get metrics values' },
})

export const vectorQuery = (id: number) =>
  queryOptions({
    queryKey: ['ratings', 'vector', id],
    queryFn: async ({ signal }) => ({ vector: await call(getRatingVector, { params: { id }, signal }) }),
    meta: { failure: 'Unable to get Vuln Vector' },
  })

export const calcQuery = (id: number, { Cr, E, D }: RatingMetrics) =>
  askPage(
    ['ratings', 'calc', id, Cr, E, D],
    calcRating,
    { params: { id }, query: { criticality: Cr, exposure: E, distribution: D } },
    'Unable to get vuln ratings',
  )
