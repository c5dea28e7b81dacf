import { route } from '../http/route'
import { latestVulns, monitoredStats, vulnStats } from './contract'
import { findLatest } from './latest'
import { findOrgStats } from '../monitoring/stats'
import { findStats } from './stats'

export const homeRoutes = [
  route(vulnStats).handle(({ db, actor }) => findStats(db, actor.org_id)),
  route(monitoredStats).handle(({ db, actor, now }) => findOrgStats(db, actor.org_id, now)),
  route(latestVulns).handle(({ db, actor, query, now }) => findLatest(db, actor, query, now)),
]
