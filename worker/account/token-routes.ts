import { route } from '../http/route'
import { requireProof } from '../auth/proof'
import { requireSessionActor } from '../auth/session-actor'
import {
  createToken,
  deleteDefaultToken,
  getDefaultToken,
  listTokens,
  removeToken,
  renewDefaultToken,
} from './access-contract'
import { findDefault, findTokens, createOwnToken, removeOwnToken } from './tokens'

export const tokenRoutes = [
  route(listTokens).handle(({ db, actor }) => findTokens(db, requireSessionActor(actor).user_id)),

  route(createToken).handle(async ({ env, db, now, client, actor, body }) =>
    createOwnToken(
      db,
      { env, actor: await requireProof(db, actor, now), client, choice: { ...body, is_default: false } },
      now,
    ),
  ),

  route(removeToken).handle(async ({ env, db, now, client, actor, params }) => {
    await removeOwnToken(db, { env, actor: requireSessionActor(actor), client, id: params.id }, now)
    return { status: 'success' as const }
  }),

  route(getDefaultToken).handle(async ({ db, actor }) => {
    const token = await findDefault(db, actor.user_id)
    return { status: 'success' as const, token: token?.prefix ?? null }
  }),

  route(renewDefaultToken).handle(async ({ env, db, now, client, actor }) => {
    const choice = { name: 'Default', scope: 'write' as const, reach: 'organization' as const, is_default: true }
    const { token } = await createOwnToken(db, { env, actor: await requireProof(db, actor, now), client, choice }, now)
    return { status: 'success' as const, token }
  }),

  route(deleteDefaultToken).handle(async ({ env, db, now, client, actor }) => {
    const me = requireSessionActor(actor)
    const token = await findDefault(db, me.user_id)
    if (token) await removeOwnToken(db, { env, actor: me, client, id: token.id }, now)
    return { status: 'success' as const }
  }),
]
