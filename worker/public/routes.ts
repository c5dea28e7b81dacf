import { paged } from '../http/page'
import { findPublicExploits, findPublicThreats, toPage } from './activities'
import {
  exportPublicVuln,
  getPublicVuln,
  getPublicVulnByCve,
  lastPage,
  listPublicExploits,
  listPublicThreats,
  listPublicVulns,
  publicLatest,
  publicStats,
} from './contract'
import { openRoute } from './open-route'
import { findPublicLatest, findPublicStats, findPublicVulns, getPublicDetail, getPublicVulnId } from './queries'

const newestFirst = { sorted_by: '-modified' } as const

export const publicRoutes = [
  openRoute(publicStats).handle(({ db }) => findPublicStats(db)),
  openRoute(publicLatest).handle(({ db, now }) => findPublicLatest(db, now)),
  openRoute(listPublicVulns).handle(async ({ db, query, url, now }) => {
    const page = paged(url, query, await findPublicVulns(db, query, now))
    return query.page < lastPage ? page : { ...page, next: null }
  }),
  openRoute(getPublicVulnByCve).handle(async ({ db, params, now }) =>
    getPublicDetail(db, await getPublicVulnId(db, params.cveid), now),
  ),
  openRoute(getPublicVuln).handle(({ db, params, now }) => getPublicDetail(db, params.id, now)),
  openRoute(listPublicExploits).handle(async ({ db, params, query, url }) =>
    paged(url, query, toPage(await findPublicExploits(db, params.id, query), query)),
  ),
  openRoute(listPublicThreats).handle(async ({ db, params, query, url }) =>
    paged(url, query, toPage(await findPublicThreats(db, params.id, query), query)),
  ),
  openRoute(exportPublicVuln, ({ params }) => ({
    'content-disposition': `attachment; filename="hears_vuln_${params.id}.json"`,
  })).handle(async ({ db, params, now }) => ({
    vulnerability: await getPublicDetail(db, params.id, now),
    exploits: await findPublicExploits(db, params.id, newestFirst),
    org_exploits: [],
    threats: await findPublicThreats(db, params.id, newestFirst),
    org_threats: [],
  })),
]
