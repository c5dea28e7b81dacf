import { findCensus } from '../census/find'
import { censusWaits } from '../domain/service/census'
import { paged } from '../http/page'
import { findAllExploits, findAllThreats, findPublicExploits, findPublicThreats, toPage } from './activities'
import { toCensusFile } from './census-file'
import {
  exportPublicCensus,
  exportPublicVuln,
  getPublicVuln,
  getPublicVulnByCve,
  lastPage,
  listAllPublicExploits,
  listAllPublicThreats,
  listPublicExploits,
  listPublicThreats,
  listPublicVulns,
  publicCensus,
  publicLatest,
  publicStats,
  publicStatus,
} from './contract'
import { route } from '../http/route'
import { admitReader, openRoute } from './open-route'
import { findPublicLatest, findPublicStats, findPublicVulns, getPublicDetail, getPublicVulnId } from './queries'
import { findServiceStatus } from './status'

const upToLast = <Page extends { next: string | null }>(page: number, found: Page) =>
  page < lastPage ? found : { ...found, next: null }

const newestFirst = { sorted_by: '-modified' } as const

export const publicRoutes = [
  openRoute(publicStats).handle(({ db }) => findPublicStats(db)),
  openRoute(publicStatus).handle(({ db, now }) => findServiceStatus(db, now)),
  openRoute(publicCensus).handle(async ({ db, now }) => ({
    ...(await findCensus(db, now)),
    waits: censusWaits.map(({ id }) => id),
  })),
  route(exportPublicCensus).handle(async (request) => {
    await admitReader(request)
    return toCensusFile(await findCensus(request.db, request.now))
  }),
  openRoute(publicLatest).handle(({ db, now }) => findPublicLatest(db, now)),
  openRoute(listPublicVulns).handle(async ({ db, query, url, now }) =>
    upToLast(query.page, paged(url, query, await findPublicVulns(db, query, now))),
  ),
  openRoute(getPublicVulnByCve).handle(async ({ db, params, now }) =>
    getPublicDetail(db, await getPublicVulnId(db, params.cveid), now),
  ),
  openRoute(getPublicVuln).handle(({ db, params, now }) => getPublicDetail(db, params.id, now)),
  openRoute(listPublicExploits).handle(async ({ db, params, query: { page, ...query }, url }) => {
    const rows = await findPublicExploits(db, params.id, query)
    return page === undefined ? rows : paged(url, { ...query, page }, toPage(rows, { ...query, page }))
  }),
  openRoute(listPublicThreats).handle(async ({ db, params, query: { page, ...query }, url }) => {
    const rows = await findPublicThreats(db, params.id, query)
    return page === undefined ? rows : paged(url, { ...query, page }, toPage(rows, { ...query, page }))
  }),
  openRoute(listAllPublicExploits).handle(async ({ db, query, url }) =>
    upToLast(query.page, paged(url, query, await findAllExploits(db, query))),
  ),
  openRoute(listAllPublicThreats).handle(async ({ db, query, url }) =>
    upToLast(query.page, paged(url, query, await findAllThreats(db, query))),
  ),
  openRoute(exportPublicVuln, ({ params }) => ({
    'content-disposition': `attachment; filename="hears_vuln_${params.id}.json"`,
  })).handle(async ({ db, params, now }) => {
    const [vulnerability, exploits, threats] = await Promise.all([
      getPublicDetail(db, params.id, now),
      findPublicExploits(db, params.id, newestFirst),
      findPublicThreats(db, params.id, newestFirst),
    ])
    return { vulnerability, exploits, org_exploits: [], threats, org_threats: [] }
  }),
]
