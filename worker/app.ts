import { Hono, type Context, type HonoRequest, type MiddlewareHandler } from 'hono'
import { isBusy, noteError, withoutQuery } from './db/error-text'
import { isOrphan } from './db/guard'
import { LimitExceeded } from './db/limits'
import { loadApi } from './features'
import { authenticate } from './auth/authenticate'
import { openDb, openLine } from './db/open'
import { noteReader } from './db/pace'
import { Failure, notFound } from './http/errors'
import { fromEdge } from './http/edge'
import { apiHeaders } from './http/headers'
import { clientAddress } from './http/client-address'
import { nameRequest, noteFailedCall, noteRefusal } from './http/log'
import type { App, Bound } from './http/route'
import { noteWork } from './objectives/metrics'
import { charge, perAddress } from './http/throttle'
import { appVersion } from './http/version'

/** The application with the routes of some features. */
export function createApp(bound: Bound[]) {
  const app = new Hono<App>({ strict: false })
  app.use(async (c, next) => {
    c.set('request', nameRequest(c))
    const { db, hold, session } = openLine(c.env)
    c.set('db', db)
    c.set('hold', hold)
    c.set('session', session)
    await next()
    if (c.env.TRUST_PROXY === '0') await readToEnd(c.req.raw).catch(() => undefined)
    const primary = openDb(c.env)
    c.executionCtx.waitUntil(noteWork(c.env, primary, { isRequest: true, isError: c.res.status >= 500 }))
    // If this fails, a feed step only learns later that somebody reads.
    c.executionCtx.waitUntil(noteReader(primary).catch((error: unknown) => noteError({ job: 'note_reader' }, error)))
  })
  app.use(apiHeaders)
  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', admit, (c) => showReadiness(c))
  app.get('/api/docs/openapi.json', admit, (c) =>
    fromEdge(c, new URL('/api/docs/openapi.json', c.env.APP_URL), () => showDocument(c)),
  )
  app.get('/api/docs/swagger', admit, async (c) =>
    c.req.query('format') === 'openapi' ? showDocument(c) : (await import('./docs/pages')).swaggerPage(),
  )
  app.get('/api/docs/redoc', async () => (await import('./docs/pages')).redocPage())

  app.use(authenticate)
  for (const { bind } of bound) bind(app)

  app.notFound((c) => (isScreen(c.req) ? showScreen(c) : c.json(notFound('Page').body(), 404)))
  app.onError((error, c) => {
    const failure = toFailure(error)
    if (failure.status >= 500 || failure === tooMuch) noteFailedCall(c, failure, error)
    else noteRefusal(c, failure)
    // A quota counts by the day, unless it says for how long.
    const wait = failure.status === 429 && { 'retry-after': String(secondsToMidnight(new Date())) }
    return c.json(failure.body(), failure.status, { ...wait, ...failure.headers })
  })
  return app
}

const secondsToMidnight = (now: Date) => 86_400 - Math.floor((now.getTime() / 1000) % 86_400)

const maxUnread = 100_000_000

/** On this machine a connection breaks, and with it the answer, where a refused call leaves its body unread. */
async function readToEnd({ body, bodyUsed }: Request) {
  let left = maxUnread
  if (body && !bodyUsed) for await (const piece of body) if ((left -= piece.byteLength) < 0) break
}

const admit: MiddlewareHandler<App> = async (c, next) => {
  const limits = await charge(c.env, perAddress(clientAddress(c)), 1, Date.now())
  await next()
  for (const [name, value] of Object.entries(limits)) c.header(name, value)
}

async function showReadiness(c: Context<App>) {
  const { findLateWork } = await import('./alerts/plan/waits')
  const late = await findLateWork(c.get('db'), new Date())
  return c.json({ status: late.length ? 'late' : 'ready', late })
}

/** Takes 80 ms to write, so each isolate does so once. */
let written: { of: string; text: string } | undefined

async function showDocument({ env }: Context<App>) {
  const of = `${env.APP_URL} ${appVersion(env)}`
  if (written?.of !== of) {
    const [{ openapi }, bound] = await Promise.all([import('./http/openapi'), loadApi()])
    const contracts = bound.map(({ contract }) => contract)
    written = { of, text: JSON.stringify(openapi(contracts, env.APP_URL, appVersion(env))) }
  }
  return new Response(written.text, {
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=60' },
  })
}

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

function toFailure(error: unknown) {
  if (error instanceof Failure) return error
  if (isOrphan(error)) return gone
  if (isBusy(error)) return busy
  return withoutQuery(error) instanceof LimitExceeded ? tooMuch : broken
}

const broken = new Failure(500, 'error', 'Something went wrong on our side')
const tooMuch = new Failure(400, 'invalid', 'That is more than the database takes at once: ask for less')
const gone = new Failure(409, 'gone', 'This belongs to something that was removed meanwhile')
const busy = new Failure(503, 'busy', 'The service is busy: try again in a moment', {
  headers: { 'retry-after': '2' },
})
