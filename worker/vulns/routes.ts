import type { Actor } from '../domain/people/access'
import { paged } from '../http/page'
import { route } from '../http/route'
import { setKept } from '../monitoring/set-kept'
import { findVisible } from '../watchlist/set-monitored'
import { exportVulns, listVulns, toggleVuln, toggleVulns, vulnCount } from './contract'
import { getVuln, vulnHistory } from './detail/contract'
import { getVulnDetail } from './detail/detail'
import { exportList } from './export'
import { countVulns, findVulns } from './list/find'
import { findHistory } from './detail/history'
import { sparse } from './sparse'

export const vulnRoutes = [
  route(listVulns).handle(async ({ db, actor, query, url, now }) =>
    sparse(
      db,
      { org_id: actor.org_id, now, fields: query.fields },
      paged(url, query, await findVulns(db, toAsker(actor, now), query)),
    ),
  ),
  route(vulnCount).handle(({ db, actor, query, now }) => countVulns(db, toAsker(actor, now), query)),
  route(exportVulns).handle(({ db, actor, params, query, now }) =>
    exportList(db, toAsker(actor, now), query, params.format),
  ),
  route(toggleVulns).handle(async ({ db, body: { ids, monitored }, ...by }) => {
    // Ids that do not exist, or belong to another organization, are ignored.
    const set = await findVisible(db, by.actor.org_id, 'vuln', ids)
    await setKept(db, { kind: 'vuln', ids: set, monitored }, by)
    return { monitored, set }
  }),
  route(vulnHistory).handle(({ db, actor, params }) => findHistory(db, actor.org_id, params.id)),
  route(getVuln).handle(({ db, actor, params, now }) => getVulnDetail(db, actor.org_id, params.id, now)),
  route(toggleVuln).handle(async ({ db, params, body, ...by }) => {
    await setKept(db, { kind: 'vuln', ids: [params.id], monitored: body.monitored }, by)
    return 'toggled.' as const
  }),
]

const toAsker = ({ org_id, user_id }: Actor, now: Date) => ({ org_id, user_id, now })
