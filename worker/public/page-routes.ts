import * as z from 'zod'
import { findCensus } from '../census/find'
import { noteError } from '../db/error-text'
import { findLinked, followLink } from '../alerts/acknowledge/acknowledge'
import type { AlertLinks } from '../alerts/channels/facts'
import { leaveAlerts } from '../alerts/leave'
import { confirmSubscription, subscribe, unsubscribe } from '../newsletter/newsletter'
import { Email } from '../domain/people/password'
import type { Env } from '../env'
import { endpoint } from '../http/endpoint'
import { Failure, notFound } from '../http/errors'
import { route } from '../http/route'
import type { Bound, RequestScope } from '../http/route'
import { getPublicVuln, PublicVulnQuery } from './contract'
import { censusPage } from './census-page'
import { conformancePage } from './conformance-page'
import { failurePage } from './page'
import {
  acknowledgedPage,
  acknowledgePage,
  alertLinkInvalidPage,
  confirmedPage,
  confirmPage,
  leavePage,
  leftPage,
  linkInvalidPage,
  newsletterPage,
  snoozedPage,
  snoozePage,
  subscribedPage,
  unsubscribedPage,
  unsubscribePage,
} from './newsletter-pages'
import { admitReader } from './open-route'
import { findPublicVulns, getPublicDetail, getPublicVulnId } from './queries'
import { resultsPerPage, searchPage } from './search-page'
import { robots, securityTxt, sitemap } from './sitemap'
import { sourcesPage } from './sources-page'
import { findServiceStatus } from './status'
import { statusPage } from './status-page'
import { vulnPage } from './vuln-page'

const Words = z.record(z.string(), z.string())
const Fields = z.object({ email: z.string().catch('') })
type Request = RequestScope & {
  params: Record<string, string>
  query: Record<string, string>
  body: z.output<typeof Fields>
}

/** A public page; failures become pages, too. */
function page(method: 'GET' | 'POST', path: string, show: (request: Request) => Promise<Response> | Response): Bound {
  const contract = endpoint({
    method,
    path,
    access: 'public',
    isShared: method === 'GET',
    summary: 'A page',
    params: Words,
    query: Words,
    body: Fields,
    reply: z.never(),
  })
  return route(contract).handle(async (request) => {
    try {
      if (method === 'GET') await admitReader(request)
      return await show(request)
    } catch (error) {
      if (!(error instanceof Failure)) noteError({ request: request.request, method, route: path }, error)
      return failurePage(request.env, error)
    }
  })
}

type Ask = (env: Env, path: string, name: string) => Promise<Response>
type Done = (env: Env) => Promise<Response>
type DoneAbout = (env: Env, vuln_id: number) => Promise<Response>

const byLink = (
  path: string,
  [ask, done]: [ask: Ask, done: Done],
  act: (request: Request, token: string) => Promise<boolean>,
) => [
  page('GET', `${path}/:token`, ({ env, url }) => ask(env, url.pathname, '')),
  page('POST', `${path}/:token`, async (request) =>
    (await act(request, request.params.token ?? '')) ? done(request.env) : linkInvalidPage(request.env),
  ),
]

/** Names what it is about, to whoever holds the link of its message. */
const byAlertLink = (action: keyof AlertLinks, ask: Ask, done: DoneAbout) => [
  page('GET', `/public/alerts/${action}/:token`, async ({ db, env, now, url, params: { token = '' } }) => {
    const name = await findLinked(db, action, token, { env, now })
    return name === null ? alertLinkInvalidPage(env) : ask(env, url.pathname, name)
  }),
  page('POST', `/public/alerts/${action}/:token`, async ({ db, env, client, now, params: { token = '' } }) => {
    const vuln_id = await followLink(db, action, token, { env, client, now })
    return vuln_id === null ? alertLinkInvalidPage(env) : done(env, vuln_id)
  }),
]

const isOtherId = (id: string) => /^[A-Za-z]{2,20}-[\w:.-]{3,60}$/.test(id) && !/^PH-/i.test(id)

export const publicPages = [
  page('GET', '/public/vulns/:id', async ({ db, env, now, params: { id = '' } }) => {
    if (isOtherId(id)) return redirect(`/public/vulns/${await getPublicVulnId(db, id)}`)
    const named = /^(PH-)?([1-9]\d{0,14})$/i.exec(id)
    if (!named) throw notFound('Vulnerability')
    if (named[1]) return redirect(`/public/vulns/${named[2]}`)
    return vulnPage(env, getPublicVuln.reply.parse(await getPublicDetail(db, Number(named[2]), now)))
  }),
  page('GET', '/public/search', showSearch),
  page('GET', '/public/search/:term', showSearch),
  page('GET', '/public', () => redirect('/public/search')),
  page('GET', '/public/vulns', () => redirect('/public/search')),
  page('GET', '/public/newsletter', ({ env }) => newsletterPage(env)),
  page('POST', '/public/newsletter', async ({ db, body, env, client, now }) => {
    const email = Email.safeParse(body.email)
    if (!email.success) {
      const [issue] = email.error.issues
      return newsletterPage(env, { email: body.email, problem: issue?.message ?? '' })
    }
    await subscribe(db, email.data, { env, client, now })
    return subscribedPage(env)
  }),
  ...byLink('/public/newsletter/confirm', [confirmPage, confirmedPage], ({ db, now }, token) =>
    confirmSubscription(db, token, now),
  ),
  ...byLink('/public/newsletter/unsubscribe', [unsubscribePage, unsubscribedPage], ({ db }, token) =>
    unsubscribe(db, token),
  ),
  ...byLink('/public/alerts/leave', [leavePage, leftPage], ({ db, env, client, now }, token) =>
    leaveAlerts(db, token, { env, client, now }),
  ),
  ...byAlertLink('acknowledge', acknowledgePage, acknowledgedPage),
  ...byAlertLink('snooze', snoozePage, snoozedPage),
  page('GET', '/status', async ({ db, env, now }) => statusPage(env, await findServiceStatus(db, now))),
  page('GET', '/conformance', ({ env }) => conformancePage(env)),
  page('GET', '/census', async ({ db, env, now }) => censusPage(env, await findCensus(db, now))),
  page('GET', '/sources', ({ env }) => sourcesPage(env)),
  page('GET', '/robots.txt', ({ env }) => robots(env)),
  page('GET', '/.well-known/security.txt', ({ env, now }) => securityTxt(env, now)),
  page('GET', '/sitemap.xml', ({ db, env }) => sitemap(db, env)),
  page('GET', '/public/*', () => {
    throw notFound('Page')
  }),
]

async function showSearch({ db, env, now, params, query }: Request) {
  const text = (query.q ?? params.term ?? '').trim()
  const parsed = PublicVulnQuery.safeParse({ search: text || undefined, page: query.page, limit: resultsPerPage })
  if (!parsed.success) throw notFound('Page')
  return searchPage(env, { text, page: parsed.data.page }, await findPublicVulns(db, parsed.data, now))
}

const redirect = (path: string) => new Response(null, { status: 302, headers: { location: path } })
