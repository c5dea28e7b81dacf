import type { Context, MiddlewareHandler } from 'hono'
import { eq, sql } from 'drizzle-orm'
import { openDb, type Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import type { Actor, tokenReaches } from '../domain/people/access'
import type { Env } from '../env'
import { Failure, forbidden, tokenNotValid, unauthenticated } from '../http/errors'
import type { App } from '../http/route'
import { charge, perAddress, type Allowance } from '../http/throttle'
import { clientAddress, toNetwork } from '../http/client-address'
import { apiTokens } from '../schema/auth'
import { audited, type Scene } from './audit'
import { forgetCaller, isRenewalDue, recallCaller, rememberCaller, type KnownCaller } from './callers'
import { hashToken } from './keys'
import { verifyAccess, type SignedIn } from './tokens'

/** `JWT <access>`, `Bearer` or `Token <API token>`; no cookie, no query. A wrong header fails only where somebody must be signed in. */
export const authenticate: MiddlewareHandler<App> = async (c, next) => {
  const header = c.req.header('authorization')
  if (header) {
    const [scheme = '', token = ''] = header.split(/\s+/)
    await orRefused(c, async () => {
      const opener = await readCredentials(c, { scheme: scheme.toLowerCase(), token })
      const confirm = () => orRefused(c, () => findCaller(c, opener))
      const likely = recallCaller(opener.key)
      // Made-up credentials cost their sender before the database is asked.
      if (!likely) return charge(c.env, perAddress(clientAddress(c)), 1, Date.now()).then(confirm)
      const { actor, isSure } = likely
      c.set('likely', { actor, isSure, confirm, renew: () => renewIfDue(c.env, opener) })
      c.set('allowances', likely.allowances)
    })
  }
  await next()
}

async function orRefused(c: Context<App>, find: () => Promise<void>) {
  try {
    await find()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    c.set('refusal', error)
  }
}

type Opener = { key: string; find: (db: Db) => Promise<KnownCaller> }

/** Access that they gave last, without asking the database whether they still do. */
async function readCredentials(c: Context<App>, { scheme, token }: { scheme: string; token: string }): Promise<Opener> {
  const [env, now] = [c.env, new Date()]
  if (scheme === 'jwt' || scheme === 'bearer') {
    const signedIn = await verifyAccess(env, token, now)
    return {
      key: `session ${signedIn.session_id} ${signedIn.session_secret}`,
      find: (db) => findBySession(db, signedIn, now),
    }
  }
  if (scheme !== 'token') throw unauthenticated('Use Authorization: JWT <access token>')
  const hash = await hashToken(token)
  const client = { ip: clientAddress(c), user_agent: '' }
  return { key: `token ${hash}`, find: (db) => findByToken(db, hash, { env, client, now }) }
}

async function findCaller(c: Context<App>, opener: Opener) {
  c.set('actor', undefined)
  const db = c.get('db')
  const found = await (c.get('session').isAtPrimary() ? findAtPrimary(db, opener) : opener.find(db))
  c.set('actor', found.actor)
  c.set('allowances', found.allowances)
  const primary = () => (c.get('session').isAtPrimary() ? c.get('db') : openDb(c.env))
  c.set('actorIn', (org_id) => findInOrg(primary(), found.actor, org_id, new Date()))
}

async function findAtPrimary(db: Db, { key, find }: Opener) {
  const asked_ms = Date.now()
  const found = await find(db).catch((error: unknown) => {
    forgetCaller(key)
    throw error
  })
  rememberCaller(key, found, asked_ms)
  return found
}

function renewIfDue(env: Env, opener: Opener) {
  if (!isRenewalDue(opener.key)) return undefined
  // A caller that is named no more is forgotten, and told so with the next call.
  return findAtPrimary(openDb(env), opener).then(
    () => undefined,
    () => undefined,
  )
}

type TokenReach = (typeof tokenReaches)[number]

type Found = {
  org_id: number
  is_acting: number
  sso_org_id: number | null
  is_admin: number
  is_org_admin: number
  manage_organization: number
  manage_alert_email: number
  manage_metadata: number
  trial_ends_at: string | null
  api_rate: number | null
  time_zone: string | null
}
// Templates: each request asks one of these, and the builder would write it anew each time.
const rights = sql`u.is_admin, m.is_admin AS is_org_admin, m.manage_organization, m.manage_alert_email, m.manage_metadata,
  o.trial_ends_at, o.api_rate, (SELECT a.time_zone FROM alert_settings a WHERE a.org_id = o.id) AS time_zone`
const areActive = sql`u.is_active AND m.is_active AND o.is_active`

/** Reads rights at each request (one query), so that a disabled user or membership ends at once. */
export async function findBySession(db: Db, { user_id, session_id, session_secret }: SignedIn, now: Date) {
  const [found] = await db.all<Found>(sql`
    SELECT o.id AS org_id, s.acting_org_id IS NOT NULL AS is_acting, s.sso_org_id, ${rights}
    FROM sessions s JOIN users u ON u.id = s.user_id JOIN members m ON m.org_id = s.org_id AND m.user_id = u.id
      JOIN orgs h ON h.id = s.org_id AND h.is_active JOIN orgs o ON o.id = coalesce(s.acting_org_id, s.org_id)
    WHERE ${areActive} AND s.id = ${session_id} AND s.secret = ${session_secret} AND s.user_id = ${user_id} AND s.revoked_at IS NULL
      AND s.expires_at > ${stamp(now)} AND (s.sso_org_id IS NULL OR (s.sso_org_id = s.org_id AND NOT u.is_admin))
      AND (s.acting_org_id IS NULL OR (s.sso_org_id IS NULL AND u.is_admin))`)
  if (!found) throw tokenNotValid()
  return {
    actor: toActor(found, { user_id, session_id, token_id: null, scope: 'write', reach: 'all' }, now),
    allowances: [perUser(user_id)],
  }
}

/** The same caller in another organization of theirs, with the rights that they have there; a bound caller stays in one. */
async function findInOrg(db: Db, actor: Actor, org_id: number, now: Date) {
  const { user_id, session_id, token_id } = actor
  if (actor.is_bound) throw token_id === null ? notMember() : heldToken()
  const [found] = await db.all<Found>(sql`
    SELECT m.org_id, 0 AS is_acting, NULL AS sso_org_id, ${rights}
    FROM users u JOIN members m ON m.user_id = u.id JOIN orgs o ON o.id = m.org_id
    WHERE ${areActive} AND u.id = ${user_id} AND m.org_id = ${org_id}`)
  if (!found) throw notMember()
  return toActor(
    found,
    { user_id, session_id, token_id, reach: 'all', scope: actor.read_only === 'token' ? 'read' : 'write' },
    now,
  )
}

/** Says nothing of whether its user is a member of the other one. */
export const heldToken = () =>
  forbidden('This API token is held to its organization: make a personal token for all of your organizations')
const notMember = () => forbidden('You are no member of this organization')

/** How old the time of a token's last use may be, so that not each of its requests writes. */
const lastUsedMinutes = 5

async function findByToken(db: Db, hash: string, { env, client, now }: Scene) {
  const [found] = await db.all<Found & UsedToken>(sql`
    SELECT t.id, t.user_id, t.org_id, 0 AS is_acting, NULL AS sso_org_id, t.scope, t.reach, t.name, t.last_used_at, t.last_network,
      u.username, ${rights}
    FROM api_tokens t JOIN users u ON u.id = t.user_id JOIN members m ON m.org_id = t.org_id AND m.user_id = u.id
      JOIN orgs o ON o.id = m.org_id
    WHERE ${areActive} AND t.token_hash = ${hash} AND (t.expires_at IS NULL OR t.expires_at > ${stamp(now)})`)
  if (!found) throw tokenNotValid()
  await recordUse(db, found, { env, client, now })
  const { user_id, scope, reach } = found
  const actor = toActor(found, { user_id, session_id: null, token_id: found.id, scope, reach }, now)
  return { actor, allowances: [perToken(found.id, found.api_rate), perUser(found.user_id)] }
}

type UsedToken = { username: string } & Pick<
  typeof apiTokens.$inferSelect,
  'id' | 'user_id' | 'scope' | 'reach' | 'name' | 'last_used_at' | 'last_network'
>

/** The time of the last use, now and then; a network that the token did not come from before stands in the log. */
async function recordUse(db: Db, token: Found & UsedToken, scene: Scene) {
  const network = toNetwork(scene.client.ip)
  const isNew = network !== '' && network !== token.last_network
  const isRecent = (token.last_used_at ?? '') >= stamp(plusSeconds(scene.now, -lastUsedMinutes * 60))
  if (isRecent && !isNew) return
  const update = db
    .update(apiTokens)
    .set({ last_used_at: stamp(scene.now), ...(network && { last_network: network }) })
    .where(eq(apiTokens.id, token.id))
  const { org_id, user_id, username } = token
  const entry = { org_id, actor_id: user_id, actor: username, action: 'token.use' as const, target: token.name }
  if (isNew) await audited(db, [statement(db, update)], entry, scene)
  else await update
}

/** Calls a second of one API token, where the organization's plan says nothing else; at once it makes those of twelve seconds. */
const tokenRate = 10
const burstSeconds = 12
const perToken = (id: number, api_rate: number | null): Allowance => ({
  key: `token ${id}`,
  per_second: api_rate ?? tokenRate,
  burst: (api_rate ?? tokenRate) * burstSeconds,
})
/** Of all that a user does, in the browser and by all tokens. Far from the database each call takes 0.4 seconds. */
const perUser = (user_id: number): Allowance => ({ key: `user ${user_id}`, per_second: 20, burst: 120, at_once: 8 })

function toActor(
  found: Found,
  who: Pick<Actor, 'user_id' | 'session_id' | 'token_id'> & { scope: 'read' | 'write'; reach: TokenReach },
  now: Date,
): Actor {
  const isTrialOver = found.trial_ends_at !== null && found.trial_ends_at < stamp(now)
  const isActing = found.is_acting === 1
  const isOrgAdmin = isActing || found.is_org_admin === 1
  // A user bound to an organization has no global right.
  const isBound = found.sso_org_id !== null || who.reach === 'organization'
  const isAdmin = !isBound && found.is_admin === 1
  const isTokenReadOnly = who.scope === 'read'
  const isTrialReadOnly = isTrialOver && !isAdmin
  return {
    user_id: who.user_id,
    session_id: who.session_id,
    token_id: who.token_id,
    org_id: found.org_id,
    is_bound: isBound,
    is_acting: isActing,
    is_admin: isAdmin,
    is_org_admin: isOrgAdmin,
    manage_organization: isOrgAdmin || found.manage_organization === 1,
    manage_alert_email: isOrgAdmin || found.manage_alert_email === 1,
    manage_metadata: isOrgAdmin || found.manage_metadata === 1,
    read_only: isTokenReadOnly ? 'token' : isTrialReadOnly ? 'trial' : null,
    time_zone: found.time_zone || 'UTC',
  }
}
