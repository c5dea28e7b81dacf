import { Hono } from 'hono'
import { sql } from 'drizzle-orm'
import { alertRoutes } from './alerts/routes'
import { accountRoutes } from './account/routes'
import { authenticate } from './auth/authenticate'
import { mfaRoutes } from './auth/mfa-routes'
import { authRoutes } from './auth/routes'
import { ssoRoutes } from './auth/sso-routes'
import { answered } from './db/give-way'
import { openDb } from './db/open'
import { editingRoutes } from './editing/routes'
import { exploitRoutes } from './exploits/routes'
import { feedRoutes } from './feeds/routes'
import { Failure, notFound } from './http/errors'
import { apiHeaders } from './http/headers'
import { openapi } from './http/openapi'
import type { App } from './http/route'
import { kbRoutes } from './kb/routes'
import { monitoringRoutes } from './monitoring/routes'
import { homeRoutes } from './home/routes'
import { invitationRoutes } from './orgs/invitation-routes'
import { joiningRoutes } from './orgs/joining-routes'
import { memberRoutes } from './orgs/member-routes'
import { orgRoutes } from './orgs/routes'
import { orgSsoRoutes } from './orgs/sso-routes'
import { publicPages } from './public/page-routes'
import { publicRoutes } from './public/routes'
import { ratingRoutes } from './ratings/routes'
import { triageRoutes } from './triage/routes'
import { searchRoutes } from './search/routes'
import { viewRoutes } from './views/routes'
import { packageRoutes } from './packages/routes'
import { taxonomyRoutes } from './taxonomy/routes'
import { vulnRoutes } from './vulns/routes'

// What is bound first is matched first: /api/users/set-org is no user of that id.
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
  ...alertRoutes,
  ...publicRoutes,
]

export const app = new Hono<App>({ strict: false })

app.use(async (c, next) => {
  c.set('db', openDb(c.env))
  await answered(next)
})
app.use(apiHeaders)

app.get('/healthz', (c) => c.json({ status: 'ok' }))
app.get('/readyz', async (c) => {
  await c.get('db').all(sql`select value from counters limit 1`)
  return c.json({ status: 'ready' })
})
app.get('/api/docs/openapi.json', (c) =>
  c.json(
    openapi(
      boundRoutes.map(({ contract }) => contract),
      c.env.APP_URL,
    ),
  ),
)

app.use(authenticate)
for (const { bind } of [...boundRoutes, ...publicPages]) bind(app)

app.notFound((c) => c.json(notFound('Page').body(), 404))
app.onError((error, c) => {
  if (error instanceof Failure) return c.json(error.body(), error.status, error.headers)
  if (isBusy(error)) return c.json(busy.body(), busy.status, { 'retry-after': '2' })
  console.error(error)
  return c.json(broken.body(), broken.status)
})

const broken = new Failure(500, 'error', 'Something went wrong on our side')
const busy = new Failure(503, 'busy', 'The service is busy: try again in a moment')
// Drizzle wraps what D1 says into an error of its own.
const isBusy = ({ message, cause }: Error) =>
  /D1_ERROR.*(overloaded|reset|busy|locked)/i.test(cause instanceof Error ? cause.message : message)
