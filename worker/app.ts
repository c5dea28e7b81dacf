import { Hono } from 'hono'
import { isAnybodyLate } from './alerts/plan/waits'
import { errorText, withoutQuery } from './db/error-text'
import type { Context, HonoRequest } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { alertRoutes } from './alerts/routes'
import { atomRoutes } from './atom/routes'
import { accountRoutes } from './account/routes'
import { authenticate } from './auth/authenticate'
import { mfaRoutes } from './auth/second-factor/routes'
import { authRoutes } from './auth/routes'
import { ssoRoutes } from './auth/sso/routes'
import { findLate } from './db/clock'
import { openDb } from './db/open'
import { noteReader } from './db/pace'
import { redocPage, swaggerPage } from './docs/pages'
import { editingRoutes } from './editing/routes'
import { exploitRoutes } from './exploits/routes'
import { feedRoutes } from './feeds/routes'
import { inventoryRoutes } from './inventories/routes'
import { Failure, notFound } from './http/errors'
import { apiHeaders } from './http/headers'
import { openapi } from './http/openapi'
import { noteRefusal } from './http/refusals'
import type { App } from './http/route'
import { appVersion } from './http/version'
import { kbRoutes } from './kb/routes'
import { monitoringRoutes } from './monitoring/routes'
import { homeRoutes } from './home/routes'
import { invitationRoutes } from './orgs/joining/invitation-routes'
import { joiningRoutes } from './orgs/joining/joining-routes'
import { memberRoutes } from './orgs/members/routes'
import { orgRoutes } from './orgs/routes'
import { orgSsoRoutes } from './orgs/sso/routes'
import { publicPages } from './public/page-routes'
import { publicRoutes } from './public/routes'
import { ratingRoutes } from './ratings/routes'
import { decisionRoutes } from './decisions/routes'
import { triageRoutes } from './triage/routes'
import { searchRoutes } from './search/routes'
import { viewRoutes } from './views/routes'
import { newsletterRoutes } from './newsletter/routes'
import { packageRoutes } from './packages/routes'
import { taxonomyRoutes } from './taxonomy/routes'
import { vulnRoutes } from './vulns/routes'

// The first match wins: /api/users/set-org must not count as a user with that id.
export const boundRoutes = [
  ...authRoutes,
  ...mfaRoutes,
  ...ssoRoutes,
  ...accountRoutes,
  ...invitationRoutes,
  ...memberRoutes,
  ...orgRoutes,
  ...joiningRoutes,
  ...orgSsoRoutes,
  ...feedRoutes,
  ...editingRoutes,
  ...triageRoutes,
  ...decisionRoutes,
  ...viewRoutes,
  ...searchRoutes,
  ...homeRoutes,
  ...vulnRoutes,
  ...exploitRoutes,
  ...ratingRoutes,
  ...kbRoutes,
  ...taxonomyRoutes,
  ...packageRoutes,
  ...monitoringRoutes,
  ...inventoryRoutes,
  ...alertRoutes,
  ...atomRoutes,
  ...newsletterRoutes,
  ...publicRoutes,
]

const maxBody = 1_000_000
const tooLarge = () => {
  throw new Failure(413, 'too_large', 'The request is too large')
}

const toPattern = (path: string) => new RegExp(`^${path.replace(/\/$/, '').replace(/:\w+/g, '[^/]+')}/?$`)

export const app = new Hono<App>({ strict: false })

app.use(async (c, next) => {
  c.set('db', openDb(c.env))
  await next()
  // If this fails, a feed step only learns later that somebody reads.
  c.executionCtx.waitUntil(
    noteReader(openDb(c.env)).catch((error) => console.warn('A reader was not noted', withoutQuery(error))),
  )
})
app.use(apiHeaders)
// Counts while the body streams in, so that we never hold a large one.
const limitBody = (maxSize: number) => bodyLimit({ maxSize, onError: tooLarge })
const plain = limitBody(maxBody)
const larger = boundRoutes.flatMap(({ contract: { path, max_bytes } }) =>
  max_bytes === undefined ? [] : [{ pattern: toPattern(path), limit: limitBody(max_bytes) }],
)
// Documents stream into their reader, which has a limit of its own.
const isDocument = ({ method, path }: HonoRequest) =>
  ['PUT', 'POST'].includes(method) && /^\/api\/inventories\/[^/]+(?:\/vex)?\/?$/.test(path)
app.use((c, next) => {
  if (isDocument(c.req)) return next()
  return (larger.find(({ pattern }) => pattern.test(c.req.path))?.limit ?? plain)(c, next)
})

app.get('/healthz', (c) => c.json({ status: 'ok' }))
app.get('/readyz', async (c) => {
  const [jobs, isWaiting] = await Promise.all([
    findLate(c.get('db'), new Date()),
    isAnybodyLate(c.get('db'), new Date()),
  ])
  const late = [...new Set([...jobs, ...(isWaiting ? ['alerts'] : [])])]
  return c.json({ status: late.length ? 'late' : 'ready', late })
})
const contracts = boundRoutes.map(({ contract }) => contract)
const showDocument = (c: Context<App>) => c.json(openapi(contracts, c.env.APP_URL, appVersion(c.env)))
app.get('/api/docs/openapi.json', showDocument)
app.get('/api/docs/swagger', async (c) => (c.req.query('format') === 'openapi' ? showDocument(c) : swaggerPage()))
app.get('/api/docs/redoc', redocPage)

app.use(authenticate)
for (const { bind } of [...boundRoutes, ...publicPages]) bind(app)

app.notFound((c) => (isScreen(c.req) ? showScreen(c) : c.json(notFound('Page').body(), 404)))
app.onError((error, c) => {
  if (error instanceof Failure) {
    noteRefusal(c, error)
    return c.json(error.body(), error.status, error.headers)
  }
  if (isBusy(error)) return c.json(busy.body(), busy.status, { 'retry-after': '2' })
  console.error(withoutQuery(error))
  return c.json(broken.body(), broken.status)
})

// The web's router knows the screens. Missing files and API calls are no screens; a search or an inventory may have a dot in its name.
const isScreen = (request: HonoRequest) =>
  request.method === 'GET' &&
  !/^\/(api|assets|users|auth-jwt|password_reset|public|\.well-known)\//.test(request.path) &&
  !/^\/[^/]*\.[^/]*$/.test(request.path) &&
  /text\/html|\*\/\*/.test(request.header('accept') ?? '*/*')

/** Where the links of mails and the answers of providers lead: their addresses hold a token, which no cache is to keep. */
const isOfLink = /^\/(registration|newpassword|trial|email|sso)(\/|$)/

async function showScreen(c: Context<App>) {
  const page = await c.env.ASSETS.fetch(new URL('/', c.req.url))
  if (!isOfLink.test(c.req.path)) return page
  const headers = new Headers(page.headers)
  headers.set('cache-control', 'no-store')
  return new Response(page.body, { status: page.status, headers })
}

const broken = new Failure(500, 'error', 'Something went wrong on our side')
const busy = new Failure(503, 'busy', 'The service is busy: try again in a moment')
const isBusy = (error: Error) => /D1_ERROR.*(overloaded|reset|busy|locked)/i.test(errorText(error))
