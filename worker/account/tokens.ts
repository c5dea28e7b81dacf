import { and, eq, sql } from 'drizzle-orm'
import { isAborted, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { Failure, forbidden, notFound } from '../http/errors'
import type { Env } from '../env'
import type { Client } from '../http/route'
import { apiTokens } from '../schema/auth'
import { orgs } from '../schema/orgs'
import { audited } from '../auth/audit'
import { hashToken, newToken } from '../auth/keys'
import type { SessionActor } from '../auth/session-actor'
import { getOwn } from './password'

const prefixLength = 8
export const maxTokens = 50

export async function findTokens(db: Db, user_id: number) {
  const { id, name, prefix, scope, reach, org_id, is_default, created_at, expires_at, last_used_at } = apiTokens
  const org_name = sql<string>`${orgs.name}`.as('org_name')
  return db
    .select({ id, name, prefix, scope, reach, org_id, org_name, is_default, created_at, expires_at, last_used_at })
    .from(apiTokens)
    .innerJoin(orgs, eq(orgs.id, org_id))
    .where(eq(apiTokens.user_id, user_id))
    .orderBy(id)
}

type Wanted = {
  name: string
  scope: 'read' | 'write'
  reach: 'organization' | 'all'
  expires_in_days?: number
  is_default: boolean
}
type Given = { env: Env; actor: SessionActor; client: Client; choice: Wanted }

/** A new default token takes the place of the old one. */
export async function createOwnToken(db: Db, { env, actor, client, choice }: Given, now: Date) {
  const { user_id, org_id } = actor
  const { name, scope, reach, expires_in_days, is_default } = choice
  if (reach === 'all' && actor.is_bound) throw boundToOrg()
  const token = `esh_${newToken()}`
  const expires_at = expires_in_days === undefined ? null : stamp(plusSeconds(now, expires_in_days * 86_400))
  const { username } = await getOwn(db, user_id)
  const [prefix, token_hash] = [token.slice(0, prefixLength), await hashToken(token)]
  const made = {
    user_id,
    org_id,
    name,
    prefix,
    token_hash,
    scope,
    reach,
    is_default,
    created_at: stamp(now),
    expires_at,
  }
  const isReplaced = and(eq(apiTokens.user_id, user_id), eq(apiTokens.is_default, true))
  const results = await audited(
    db,
    [
      ...(is_default ? [statement(db, db.delete(apiTokens).where(isReplaced))] : []),
      statement(db, db.insert(apiTokens).values(made)),
      statement(db, refuseBeyond(sql`SELECT count(*) FROM api_tokens WHERE user_id = ${user_id}`, maxTokens)),
    ],
    {
      org_id,
      actor_id: user_id,
      actor: username,
      action: 'token.create',
      target: name,
      detail: { scope, reach, expires_at },
    },
    { env, client, now },
  ).catch(orTooMany)
  const inserted = results[is_default ? 1 : 0]
  const row = (await findTokens(db, user_id)).find(({ id }) => id === inserted?.meta.last_row_id)
  if (!row) throw notFound('Token')
  return { ...row, token }
}

const boundToOrg = () =>
  forbidden(
    "reach: your session is bound to its organization by the organization's sign-in: choose 'organization', or sign in with your password",
  )

function orTooMany(error: unknown): never {
  if (!isAborted(error, 'quota')) throw error
  throw new Failure(409, 'quota', `You have ${maxTokens} API tokens: remove one first`)
}

export async function removeOwnToken(
  db: Db,
  { env, actor, client, id }: { env: Env; actor: SessionActor; client: Client; id: number },
  now: Date,
) {
  const row = (await findTokens(db, actor.user_id)).find((token) => token.id === id)
  if (!row) throw notFound('Token')
  const { username } = await getOwn(db, actor.user_id)
  await audited(
    db,
    [statement(db, db.delete(apiTokens).where(and(eq(apiTokens.id, id), eq(apiTokens.user_id, actor.user_id))))],
    { org_id: row.org_id, actor_id: actor.user_id, actor: username, action: 'token.remove', target: row.name },
    { env, client, now },
  )
}

export async function findDefault(db: Db, user_id: number) {
  return (await findTokens(db, user_id)).find(({ is_default }) => is_default)
}
