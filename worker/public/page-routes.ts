import { findCensus } from '../census/find'
import { notFound } from '../http/errors'
import { getPublicVuln, PublicVulnQuery } from './contract'
import { censusPage } from './census-page'
import { conformancePage } from './conformance-page'
import { pageRoute, type PageRequest } from './page'
import { linkPages, newsletterPages } from './link-pages'
import { findPublicVulns, getPublicDetail, getPublicVulnId } from './queries'
import { resultsPerPage, searchPage } from './search-page'
import { robots, securityTxt, sitemap } from './sitemap'
import { sourcesPage } from './sources-page'
import { findServiceStatus } from './status'
import { statusPage } from './status-page'
import { vulnPage } from './vuln-page'

const isOtherId = (id: string) => /^[A-Za-z]{2,20}-[\w:.-]{3,60}$/.test(id) && !/^PH-/i.test(id)

export const publicPages = [
  pageRoute('GET', '/public/vulns/:id', async ({ db, env, now, params: { id = '' } }) => {
    if (isOtherId(id)) return redirect(`/public/vulns/${await getPublicVulnId(db, id)}`)
    const named = /^(PH-)?([1-9]\d{0,14})$/i.exec(id)
    if (!named) throw notFound('Vulnerability')
    if (named[1]) return redirect(`/public/vulns/${named[2]}`)
    return vulnPage(env, getPublicVuln.reply.parse(await getPublicDetail(db, Number(named[2]), now)))
  }),
  pageRoute('GET', '/public/search', showSearch),
  pageRoute('GET', '/public/search/:term', showSearch),
  pageRoute('GET', '/public', () => redirect('/public/search')),
  pageRoute('GET', '/public/vulns', () => redirect('/public/search')),
  ...newsletterPages,
  ...linkPages,
  pageRoute('GET', '/status', async ({ db, env, now }) => statusPage(env, await findServiceStatus(db, now))),
  pageRoute('GET', '/conformance', ({ env }) => conformancePage(env)),
  pageRoute('GET', '/census', async ({ db, env, now }) => censusPage(env, await findCensus(db, now))),
  pageRoute('GET', '/sources', ({ env }) => sourcesPage(env)),
  pageRoute('GET', '/robots.txt', ({ env }) => robots(env)),
  pageRoute('GET', '/.well-known/security.txt', ({ env, now }) => securityTxt(env, now)),
  pageRoute('GET', '/sitemap.xml', ({ db, env }) => sitemap(db, env)),
  pageRoute('GET', '/public/*', () => {
    throw notFound('Page')
  }),
]

async function showSearch({ db, env, now, params, query }: PageRequest) {
  const text = (query.q ?? params.term ?? '').trim()
  const parsed = PublicVulnQuery.safeParse({ search: text || undefined, page: query.page, limit: resultsPerPage })
  if (!parsed.success) throw notFound('Page')
  return searchPage(env, { text, page: parsed.data.page }, await findPublicVulns(db, parsed.data, now))
}

const redirect = (path: string) => new Response(null, { status: 302, headers: { location: path } })
