import { findCensus } from '../census/find'
import { censusWaits } from '../domain/service/census'
import { paged } from '../http/page'
import { exploitKind, threatKind } from '../exploits/kinds'
import { findAllExploits, findAllThreats, findPublicMetadata } from './activities'
import { toCensusFile } from './census-file'
import * as contract from './contract'
import { route } from '../http/route'
import { countKnown } from '../watchlist/queries'
import { admitReader, openRoute } from './open-route'
import { findPublicLatest, findPublicVulns, getPublicDetail, getPublicVulnId } from './queries'
import { findServiceStatus } from './status'

const upToLast = <Page extends { next: string | null }>(page: number, found: Page) =>
  page < contract.lastPage ? found : { ...found, next: null }

type Asked = { url: URL; query: { page?: number | undefined; limit: number } }

const toArrayOrPage = <Row>({ url, query: { page, limit } }: Asked, rows: Row[]) =>
  page === undefined
    ? rows
    : paged(url, { page, limit }, { count: rows.length, results: rows.slice((page - 1) * limit, page * limit) })

const newestFirst = { sorted_by: '-modified' } as const

export const publicRoutes = [
  openRoute(contract.publicStats).handle(({ db }) => countKnown(db)),
  openRoute(contract.publicStatus).handle(({ db, now }) => findServiceStatus(db, now)),
  openRoute(contract.publicCensus).handle(async ({ db, now }) => ({
    ...(await findCensus(db, now)),
    waits: censusWaits.map(({ id }) => id),
  })),
  route(contract.exportPublicCensus).handle(async (request) => {
    await admitReader(request)
    return toCensusFile(await findCensus(request.db, request.now))
  }),
  openRoute(contract.publicLatest).handle(({ db, now }) => findPublicLatest(db, now)),
  openRoute(contract.listPublicVulns).handle(async ({ db, query, url, now }) =>
    upToLast(query.page, paged(url, query, await findPublicVulns(db, query, now))),
  ),
  openRoute(contract.getPublicVulnByCve).handle(async ({ db, params, now }) =>
    getPublicDetail(db, await getPublicVulnId(db, params.cveid), now),
  ),
  openRoute(contract.getPublicVuln).handle(({ db, params, now }) => getPublicDetail(db, params.id, now)),
  openRoute(contract.listPublicExploits).handle(async (request) =>
    toArrayOrPage(request, await findPublicMetadata(request.db, exploitKind, request.params.id, request.query)),
  ),
  openRoute(contract.listPublicThreats).handle(async (request) =>
    toArrayOrPage(request, await findPublicMetadata(request.db, threatKind, request.params.id, request.query)),
  ),
  openRoute(contract.listAllPublicExploits).handle(async ({ db, query, url }) =>
    upToLast(query.page, paged(url, query, await findAllExploits(db, query))),
  ),
  openRoute(contract.listAllPublicThreats).handle(async ({ db, query, url }) =>
    upToLast(query.page, paged(url, query, await findAllThreats(db, query))),
  ),
  openRoute(contract.exportPublicVuln, ({ params }) => ({
    'content-disposition': `attachment; filename="hears_vuln_${params.id}.json"`,
  })).handle(async ({ db, params, now }) => {
    const [vulnerability, exploits, threats] = await Promise.all([
      getPublicDetail(db, params.id, now),
      findPublicMetadata(db, exploitKind, params.id, newestFirst),
      findPublicMetadata(db, threatKind, params.id, newestFirst),
    ])
    return { vulnerability, exploits, org_exploits: [], threats, org_threats: [] }
  }),
]
