import { route } from '../http/route'
import {
  closeFirstSteps,
  homeDesk,
  listFirstSteps,
  latestNews,
  latestVulns,
  monitoredStats,
  vulnStats,
} from './contract'
import { findDesk } from './desk'
import { findFirstSteps, putStepsAway } from './first-steps'
import { findLatest } from './latest'
import { findNews } from './news'
import { findOrgStats } from '../monitoring/stats'
import { findStats } from './stats'

export const homeRoutes = [
  route(vulnStats).handle(({ db, actor }) => findStats(db, actor.org_id)),
  route(monitoredStats).handle(({ db, actor, now }) => findOrgStats(db, actor.org_id, now)),
  route(latestVulns).handle(({ db, actor, query, now }) => findLatest(db, actor, query, now)),
  route(homeDesk).handle(({ db, actor, query, now }) => findDesk(db, actor, now, query.since)),
  route(listFirstSteps).handle(({ db, actor, now }) => findFirstSteps(db, actor, now)),
  route(closeFirstSteps).handle(async ({ db, actor }) => {
    await putStepsAway(db, actor)
  }),
  route(latestNews).handle(({ db, actor, now }) => findNews(db, actor, now)),
]
