import type { Actor } from '../domain/people/access'
import { paged, type Found } from '../http/page'
import { route } from '../http/route'
import { setAll, setKept } from '../monitoring/set-items'
import { exportVulns, listVulns, toggleVuln, toggleVulns, vulnCount, VulnRow } from './contract'
import { getVuln, vulnHistory, VulnDetail } from './detail/contract'
import { findDetails, getVulnDetail } from './detail/detail'
import { exportList } from './export'
import { countVulns, findVulns } from './list/find'
import { findHistory } from './detail/history'
import type { Db } from '../db/open'
import { jsonResponse } from '../http/json'

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
    const { set } = await setAll(db, { kind: 'vuln', ids, monitored, isLenient: true }, by)
    return { monitored, set }
  }),
  route(vulnHistory).handle(({ db, actor, params }) => findHistory(db, actor.org_id, params.id)),
  route(getVuln).handle(({ db, actor, params, now }) => getVulnDetail(db, actor.org_id, params.id, now)),
  route(toggleVuln).handle(({ db, params, body, ...by }) =>
    setKept(db, { kind: 'vuln', ids: [params.id], monitored: body.monitored }, by),
  ),
]

const toAsker = ({ org_id, user_id }: Actor, now: Date) => ({ org_id, user_id, now })

type Shown = { org_id: number; now: Date; fields: string | undefined }

/** Keeps only the named `fields`, of the row or of the detail; ignores unknown names. */
async function sparse<Page extends Found<VulnRow>>(
  db: Db,
  { org_id, now, fields }: Shown,
  page: Page,
): Promise<Page | Response> {
  const names = new Set(fields?.split(',').map((name) => name.trim()))
  if (!names.size || !fields) return page
  const wantsMore = [...names].some((name) => !(name in VulnRow.shape) && name in VulnDetail.shape)
  const ids = page.results.map(({ id }) => id)
  const details = wantsMore ? await findDetails(db, org_id, ids, now) : new Map<number, VulnDetail>()
  const results = page.results.map((row) => {
    const detail = details.get(row.id)
    const whole = detail ? VulnDetail.parse(detail) : VulnRow.parse(row)
    return Object.fromEntries(Object.entries(whole).filter(([name]) => names.has(name)))
  })
  return jsonResponse({ ...page, results })
}
