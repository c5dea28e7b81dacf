import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { clientAddress } from './client-address'
import type { Failure } from './errors'
import type { App } from './route'

const notedStatuses = new Set([401, 403, 413, 429])

/** One line of JSON for the platform's log. It names the route, not the path, which may hold a token, and nothing the caller sent. */
export function noteRefusal(c: Context<App>, { status, code }: Failure) {
  if (!notedStatuses.has(status) || c.env.NOTE_REFUSALS === '0') return
  const actor = c.get('actor') ?? c.get('likely')?.actor
  const who = { user_id: actor?.user_id, org_id: actor?.org_id, ip: clientAddress(c) }
  const route = routePath(c, -1)
  console.info(
    JSON.stringify({
      event: 'refused',
      at: new Date().toISOString(),
      status,
      code,
      method: c.req.method,
      route,
      ...who,
    }),
  )
}
