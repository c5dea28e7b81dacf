import type { MiddlewareHandler } from 'hono'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Actor } from '../domain/access'
import { tokenNotValid, unauthenticated } from '../http/errors'
import type { App } from '../http/route'
import { verifyAccess } from './tokens'

/** Reads `Authorization: JWT <access>` (or Bearer). Nothing else authenticates: no cookie, no query. */
export const authenticate: MiddlewareHandler<App> = async (c, next) => {
  const header = c.req.header('authorization')
  if (header) {
    const [scheme = '', token = ''] = header.split(/\s+/)
    if (!/^(jwt|bearer)$/i.test(scheme)) throw unauthenticated('Use Authorization: JWT <access token>')
    const now = new Date()
    c.set('actor', await findActor(c.get('db'), await verifyAccess(c.env, token, now), now))
  }
  await next()
}

type Found = Record<Exclude<keyof Actor, 'user_id' | 'session_id'>, number>

/** Who acts: rights are read at each request, so that a disabled user or membership ends at once. One query. */
async function findActor(db: Db, { user_id, session_id }: { user_id: number; session_id: number }, now: Date) {
  const found = await db.$client
    .prepare(
      `SELECT s.org_id, u.is_admin, m.is_admin AS is_org_admin, m.manage_organization, m.manage_alert_email, m.manage_metadata
       FROM sessions s JOIN users u ON u.id = s.user_id
       JOIN members m ON m.org_id = s.org_id AND m.user_id = u.id JOIN orgs o ON o.id = m.org_id
       WHERE s.id = ?1 AND s.user_id = ?2 AND s.revoked_at IS NULL AND s.expires_at > ?3
       AND u.is_active = 1 AND m.is_active = 1 AND o.is_active = 1`,
    )
    .bind(session_id, user_id, stamp(now))
    .first<Found>()
  if (!found) throw tokenNotValid()

  const actor: Actor = {
    user_id,
    session_id,
    org_id: found.org_id,
    is_admin: found.is_admin === 1,
    is_org_admin: found.is_org_admin === 1,
    manage_organization: found.is_org_admin === 1 || found.manage_organization === 1,
    manage_alert_email: found.is_org_admin === 1 || found.manage_alert_email === 1,
    manage_metadata: found.is_org_admin === 1 || found.manage_metadata === 1,
  }
  return actor
}
