import { requireCurrentOrg } from '../http/current-org'
import { paged } from '../http/page'
import { route } from '../http/route'
import { setVulnMonitored } from '../watchlist/queries'
import { getVuln, latestVulns, listVulns, toggleVuln, vulnHistory, vulnStats } from './contract'
import { getVulnDetail } from './detail'
import { findVulns } from './find'
import { findHistory } from './history'
import { findLatest, findStats } from './latest'

export const vulnRoutes = [
  route(vulnStats).handle(({ db, actor }) => findStats(db, actor.org_id)),
  route(latestVulns).handle(({ db, actor, query, now }) => findLatest(db, actor.org_id, query.timedelta, now)),
  route(listVulns).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findVulns(db, actor.org_id, query)),
  ),
  route(vulnHistory).handle(({ db, params }) => findHistory(db, params.id)),
  route(getVuln).handle(({ db, actor, params, now }) => getVulnDetail(db, actor.org_id, params.id, now)),
  route(toggleVuln).handle(async ({ db, actor, params, body, now }) => {
    requireCurrentOrg(actor.org_id, body.organization_id)
    await setVulnMonitored(db, actor.org_id, params.id, { monitored: body.monitored, now })
    return 'toggled.' as const
  }),
]
