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
import { countKnown, countMonitored } from '../watchlist/queries'

export const homeRoutes = [
  route(vulnStats).handle(async ({ db, actor }) => {
    const [known, monitored] = await Promise.all([countKnown(db), countMonitored(db, actor.org_id)])
    return {
      ...known,
      monitored: monitored.all,
      monitored_vendors: monitored.vendors,
      monitored_products: monitored.products,
      monitored_packages: monitored.packages,
      monitored_vulns: monitored.vulns,
      monitored_inventories: monitored.inventories,
    }
  }),
  route(monitoredStats).handle(({ db, actor, now }) => findOrgStats(db, actor.org_id, now)),
  route(latestVulns).handle(({ db, actor, query, now }) => findLatest(db, actor, query, now)),
  route(homeDesk).handle(({ db, actor, query, now }) => findDesk(db, actor, now, query.since)),
  route(listFirstSteps).handle(({ db, actor, now }) => findFirstSteps(db, actor, now)),
  route(closeFirstSteps).handle(async ({ db, actor }) => {
    await putStepsAway(db, actor)
  }),
  route(latestNews).handle(({ db, actor, now }) => findNews(db, actor, now)),
]
