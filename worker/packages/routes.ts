import { inPages, paged } from '../http/page'
import { route } from '../http/route'
import { packageTimeline } from '../kb/timeline/contract'
import { getPackage, listPackages, packageVulns } from './contract'
import { findPackages, getPackageRow } from './packages'
import { findPackageVulns, getPackageDetail } from './affecting'
import { findTimeline } from '../kb/timeline/timeline'

export const packageRoutes = [
  route(listPackages).handle(inPages(({ db, actor, query }) => findPackages(db, actor.org_id, query))),
  route(getPackage).handle(({ db, actor, params, now }) => getPackageDetail(db, actor.org_id, { ...params, now })),
  route(packageVulns).handle(
    inPages(({ db, actor, params, query }) => findPackageVulns(db, actor.org_id, params.id, query)),
  ),
  route(packageTimeline).handle(async ({ db, actor, params, query, url }) => {
    const { id } = await getPackageRow(db, actor.org_id, params.id)
    return paged(url, query, await findTimeline(db, actor.org_id, { kind: 'package', id }, query))
  }),
]
