import { requireCurrentOrg } from '../http/current-org'
import { paged } from '../http/page'
import { route } from '../http/route'
import { setVulnMonitored } from '../watchlist/queries'
import {
  exportVulns,
  getVuln,
  latestVulns,
  listVulns,
  monitoredStats,
  toggleVuln,
  toggleVulns,
  vulnCount,
  vulnHistory,
  vulnStats,
} from './contract'
import { getVulnDetail } from './detail/detail'
import { exportList } from './list/export'
import { countVulns, findVulns } from './list/find'
import { findHistory } from './detail/history'
import { findLatest, findMonitoredStats, findStats } from '../home/latest'
import { setVulnsMonitored } from '../watchlist/monitor-several'
import { sparse } from './list/sparse'

export const vulnRoutes = [
  route(vulnStats).handle(({ db, actor }) => findStats(db, actor.org_id)),
  route(monitoredStats).handle(({ db, actor }) => findMonitoredStats(db, actor.org_id)),
  route(latestVulns).handle(({ db, actor, query, now }) => findLatest(db, actor, query.timedelta, now)),
  route(listVulns).handle(async ({ db, actor, query, url, now }) =>
    sparse(query.fields, paged(url, query, await findVulns(db, { org_id: actor.org_id, now }, query))),
  ),
  route(vulnCount).handle(({ db, actor, query, now }) => countVulns(db, { org_id: actor.org_id, now }, query)),
  route(exportVulns).handle(({ db, actor, params, query, now }) =>
    exportList(db, { org_id: actor.org_id, now }, query, params.format),
  ),
  route(toggleVulns).handle(({ db, actor, body, now }) => {
    requireCurrentOrg(actor.org_id, body.organization_id)
    return setVulnsMonitored(db, actor.org_id, body.ids, { monitored: body.monitored, now })
  }),
  route(vulnHistory).handle(({ db, actor, params }) => findHistory(db, actor.org_id, params.id)),
  route(getVuln).handle(({ db, actor, params, now }) => getVulnDetail(db, actor.org_id, params.id, now)),
  route(toggleVuln).handle(async ({ db, actor, params, body, now }) => {
    requireCurrentOrg(actor.org_id, body.organization_id)
    await setVulnMonitored(db, actor.org_id, params.id, { monitored: body.monitored, now })
    return 'toggled.' as const
  }),
]
