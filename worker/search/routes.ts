import { route } from '../http/route'
import { answerVersion } from './ask-version'
import { askVersion, correctSearch, searchAll, searchTarget } from './contract'
import { findCorrected } from './correct'
import { findAll, findTarget } from './queries'

export const searchRoutes = [
  route(searchTarget).handle(({ db, actor, query }) => findTarget(db, actor.org_id, query.term)),
  route(askVersion).handle(({ db, actor, query, now }) => answerVersion(db, actor.org_id, { ...query, now })),
  route(correctSearch).handle(({ db, query }) => findCorrected(db, query.search)),
  route(searchAll).handle(({ db, actor, params, query, now }) =>
    findAll(db, actor, { search: params.query, limit: query.limit, now }),
  ),
]
