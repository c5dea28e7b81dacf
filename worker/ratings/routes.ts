import { ratingWeights } from '../domain/rating-weights'
import { route } from '../http/route'
import { calcAssetRating, calcRating, getRatingVector, ratingMetricWeights } from './contract'
import { findRatingVector, getRating } from './queries'

export const ratingRoutes = [
  route(ratingMetricWeights).handle(() => ratingWeights),
  route(calcRating).handle(({ db, actor, params, query, now }) =>
    getRating(db, actor.org_id, { id: params.id, asset: query }, now),
  ),
  route(calcAssetRating).handle(({ db, actor, params, body, now }) =>
    getRating(db, actor.org_id, { id: params.id, asset: body }, now),
  ),
  route(getRatingVector).handle(({ db, actor, params, now }) => findRatingVector(db, actor.org_id, params.id, now)),
]
