import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isBeyondQuota, refuseBeyond } from '../db/quota'
import { statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { Failure, notFound } from '../http/errors'
import type { Env } from '../env'
import type { Client } from '../http/route'
import { audited } from '../auth/audit'
import { hashToken, newToken } from '../auth/keys'
import type { SignedIn } from '../auth/signed-in'
import { findOwn } from './password'

const prefixLength = 8
export const maxTokens = 50

type Row = {
  id: number
  name: string
  prefix: string
  scope: 'read' | 'write'
  org_id: number
  org_name: string
  is_default: number
  created_at: string
  expires_at: string | null
  last_used_at: string | null
}

export async function findTokens(db: Db, user_id: number) {
  const { results } = await db.$client
    .prepare(
      `SELECT t.id, t.name, t.prefix, t.scope, t.org_id, o.name AS org_name, t.is_default, t.created_at, t.expires_at,
         t.last_used_at FROM api_tokens t JOIN orgs o ON o.id = t.org_id WHERE t.user_id = ?1 ORDER BY t.id`,
    )
    .bind(user_id)
    .all<Row>()
  return results.map((row) => ({ ...row, is_default: row.is_default === 1 }))
}

type Wanted = { name: string; scope: 'read' | 'write'; expires_in_days?: number; is_default: boolean }
type Given = { env: Env; actor: SignedIn; client: Client; choice: Wanted }

/** A new default token takes the place of the old one. */
export async function makeToken(db: Db, { env, actor, client, choice }: Given, now: Date) {
  const { user_id, org_id } = actor
  const { name, scope, expires_in_days, is_default } = choice
  const token = `esh_${newToken()}`
  const expires_at = expires_in_days === undefined ? null : stamp(plusSeconds(now, expires_in_days * 86_400))
  const { username } = await findOwn(db, user_id)
  const results = await audited(
    db,
    [
      db.$client
        .prepare('DELETE FROM api_tokens WHERE user_id = ?1 AND is_default = 1 AND ?2 = 1')
        .bind(user_id, Number(is_default)),
      db.$client
        .prepare(
          `INSERT INTO api_tokens(user_id, org_id, name, prefix, token_hash, scope, is_default, created_at, expires_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
        )
        .bind(
          user_id,
          org_id,
          name,
          token.slice(0, prefixLength),
          await hashToken(token),
          scope,
          Number(is_default),
          stamp(now),
          expires_at,
        ),
      statement(db, refuseBeyond(sql`SELECT count(*) FROM api_tokens WHERE user_id = ${user_id}`, maxTokens)),
    ],
    { org_id, actor_id: user_id, actor: username, action: 'token.create', target: name, detail: { scope, expires_at } },
    { env, client, now },
  ).catch(orTooMany)
  const row = (await findTokens(db, user_id)).find(({ id }) => id === results[1]?.meta.last_row_id)
  if (!row) throw notFound('Token')
  return { ...row, token }
}

function orTooMany(error: unknown): never {
  if (!isBeyondQuota(error)) throw error
  throw new Failure(409, 'quota', `You have ${maxTokens} API tokens: remove one first`)
}

export async function removeOwnToken(
  db: Db,
  { env, actor, client, id }: { env: Env; actor: SignedIn; client: Client; id: number },
  now: Date,
) {
  const row = (await findTokens(db, actor.user_id)).find((token) => token.id === id)
  if (!row) throw notFound('Token')
  const { username } = await findOwn(db, actor.user_id)
  await audited(
    db,
    [db.$client.prepare('DELETE FROM api_tokens WHERE id = ?1 AND user_id = ?2').bind(id, actor.user_id)],
    { org_id: row.org_id, actor_id: actor.user_id, actor: username, action: 'token.remove', target: row.name },
    { env, client, now },
  )
}

export async function findDefault(db: Db, user_id: number) {
  return (await findTokens(db, user_id)).find(({ is_default }) => is_default)
}
