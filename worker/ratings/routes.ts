import { ratingWeights } from '../domain/scores/rating'
import { route } from '../http/route'
import * as contract from './contract'
import { getRating, getVector } from './queries'

export const ratingRoutes = [
  route(contract.ratingMetricWeights).handle(() => ratingWeights),
  route(contract.calcRating).handle(({ db, actor, params, query, now }) =>
    getRating(db, actor.org_id, { id: params.id, asset: query }, now),
  ),
  route(contract.calcAssetRating).handle(({ db, actor, params, body, now }) =>
    getRating(db, actor.org_id, { id: params.id, asset: body }, now),
  ),
  route(contract.getRatingVector).handle(({ db, actor, params, now }) => getVector(db, actor.org_id, params.id, now)),
]
