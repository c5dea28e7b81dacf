import type * as z from 'zod'
import { and, eq, sql, type SQL } from 'drizzle-orm'
import { beside } from '../db/beside'
import { pick } from '../db/columns'
import { orRefuse, refuseBeyond } from '../db/guard'
import type { Db } from '../db/open'
import { deleteRows, statement } from '../db/statement'
import { plusSeconds, stamp } from '../db/time'
import { Failure, forbidden, notFound } from '../http/errors'
import { apiTokens } from '../schema/auth'
import { orgs } from '../schema/orgs'
import { readyLogs } from '../auth/audit'
import { getActorName, readyAuditBy, type By } from '../auth/audited-by'
import { hashToken, newToken } from '../auth/keys'
import type { NewToken } from './access-contract'
import { requireProof, requireSessionActor } from '../auth/proof'

const prefixLength = 8
export const maxTokens = 50

export const findTokens = async (db: Db, user_id: number) => selectTokens(db, eq(apiTokens.user_id, user_id))
type Row = Awaited<ReturnType<typeof findTokens>>[number]

function selectTokens(db: Db, which: SQL) {
  const columns = pick(apiTokens, 'id', 'name', 'prefix', 'scope', 'reach', 'org_id', 'is_default', 'created_at')
  const org_name = sql<string>`${orgs.name}`.as('org_name')
  return db
    .select({ ...columns, ...pick(apiTokens, 'expires_at', 'last_used_at'), org_name })
    .from(apiTokens)
    .innerJoin(orgs, eq(orgs.id, apiTokens.org_id))
    .where(which)
    .orderBy(apiTokens.id)
}

type Wanted = z.output<typeof NewToken> & { is_default: boolean }
/** A new default token takes the place of the old one. */
export async function createOwnToken(db: Db, choice: Wanted, by: By) {
  const { now, actor } = by
  const [{ user_id, org_id }, write] = await beside(requireProof(db, actor, now), readyAuditBy(db, by))
  const { name, scope, reach, expires_in_days, is_default } = choice
  if (reach === 'all' && actor.is_bound) throw boundToOrg()
  const token = `esh_${newToken()}`
  const expires_at = expires_in_days === undefined ? null : stamp(plusSeconds(now, expires_in_days * 86_400))
  const [prefix, token_hash] = [token.slice(0, prefixLength), await hashToken(token)]
  const chosen = { user_id, org_id, name, scope, reach, is_default }
  const made = { ...chosen, prefix, token_hash, created_at: stamp(now), expires_at }
  const isReplaced = and(eq(apiTokens.user_id, user_id), eq(apiTokens.is_default, true))
  const results = await write(
    [
      ...(is_default ? [deleteRows(db, apiTokens, isReplaced)] : []),
      statement(db, db.insert(apiTokens).values(made)),
      statement(db, refuseBeyond(sql`SELECT count(*) FROM api_tokens WHERE user_id = ${user_id}`, maxTokens)),
      statement(db, selectTokens(db, eq(apiTokens.token_hash, token_hash))),
    ],
    { action: 'token.create', target: name, detail: { scope, reach, expires_at } },
  ).catch(orRefuse('quota', tooMany))
  const [row] = (results.at(-1)?.results ?? []) as Row[]
  if (!row) throw notFound('Token')
  return { ...row, is_default, token }
}

const boundToOrg = () =>
  forbidden(
    "reach: your session is bound to its organization by the organization's sign-in: choose 'organization', or sign in with your password",
  )

const tooMany = () => new Failure(409, 'quota', `You have ${maxTokens} API tokens: remove one first`)

export async function removeOwnToken(db: Db, id: number, by: By) {
  if (!(await removeToken(db, eq(apiTokens.id, id), by))) throw notFound('Token')
}

export const removeDefault = async (db: Db, by: By) => void (await removeToken(db, eq(apiTokens.is_default, true), by))

async function removeToken(db: Db, which: SQL, by: By) {
  const { user_id } = requireSessionActor(by.actor)
  const isWanted = and(which, eq(apiTokens.user_id, user_id))
  const [row, actor, write] = await Promise.all([
    db.select({ org_id: apiTokens.org_id, name: apiTokens.name }).from(apiTokens).where(isWanted).get(),
    getActorName(db, by.actor),
    readyLogs(db, [sql`(SELECT org_id FROM api_tokens WHERE ${isWanted})`], by),
  ])
  if (!row) return false
  const entry = { org_id: row.org_id, actor_id: user_id, actor, action: 'token.remove' as const, target: row.name }
  await write([deleteRows(db, apiTokens, isWanted)], [entry])
  return true
}

export async function findDefault(db: Db, user_id: number) {
  return (await findTokens(db, user_id)).find(({ is_default }) => is_default)
}
