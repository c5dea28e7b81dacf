import { route } from '../http/route'
import { answerVersion } from './ask-version'
import { askVersion, searchAll, searchTarget } from './contract'
import { findAll, findTarget } from './queries'

export const searchRoutes = [
  route(searchTarget).handle(({ db, actor, query }) => findTarget(db, actor.org_id, query.term)),
  route(askVersion).handle(({ db, actor, query, now }) => answerVersion(db, actor.org_id, { ...query, now })),
  route(searchAll).handle(({ db, actor, params, query, now }) =>
    findAll(db, actor, { search: params.query, limit: query.limit, now }),
  ),
]
