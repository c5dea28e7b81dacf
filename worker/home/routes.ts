import { route } from '../http/route'
import { homeDesk, latestNews, latestVulns, monitoredStats, vulnStats } from './contract'
import { findDesk } from './desk'
import { findLatest } from './latest'
import { findNews } from './news'
import { findOrgStats } from '../monitoring/stats'
import { findStats } from './stats'

export const homeRoutes = [
  route(vulnStats).handle(({ db, actor }) => findStats(db, actor.org_id)),
  route(monitoredStats).handle(({ db, actor, now }) => findOrgStats(db, actor.org_id, now)),
  route(latestVulns).handle(({ db, actor, query, now }) => findLatest(db, actor, query, now)),
  route(homeDesk).handle(({ db, actor, query, now }) =>
    findDesk(db, { org_id: actor.org_id, user_id: actor.user_id, now }, query.since),
  ),
  route(latestNews).handle(({ db, actor, now }) => findNews(db, actor, now)),
]
