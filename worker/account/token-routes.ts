import { route } from '../http/route'
import { signedIn } from '../auth/signed-in'
import {
  createToken,
  deleteDefaultToken,
  getDefaultToken,
  listTokens,
  removeToken,
  renewDefaultToken,
} from './access-contract'
import { findDefault, findTokens, makeToken, removeOwnToken } from './tokens'

export const tokenRoutes = [
  route(listTokens).handle(({ db, actor }) => findTokens(db, signedIn(actor).user_id)),

  route(createToken).handle(({ db, now, client, actor, body }) =>
    makeToken(db, { actor: signedIn(actor), client, wanted: { ...body, is_default: false } }, now),
  ),

  route(removeToken).handle(async ({ db, now, client, actor, params }) => {
    await removeOwnToken(db, { actor: signedIn(actor), client, id: params.id }, now)
    return { status: 'success' as const }
  }),

  route(getDefaultToken).handle(async ({ db, actor }) => {
    const token = await findDefault(db, signedIn(actor).user_id)
    return { status: 'success' as const, token: token?.prefix ?? null }
  }),

  route(renewDefaultToken).handle(async ({ db, now, client, actor }) => {
    const wanted = { name: 'Default', scope: 'write' as const, is_default: true }
    const { token } = await makeToken(db, { actor: signedIn(actor), client, wanted }, now)
    return { status: 'success' as const, token }
  }),

  route(deleteDefaultToken).handle(async ({ db, now, client, actor }) => {
    const me = signedIn(actor)
    const token = await findDefault(db, me.user_id)
    if (token) await removeOwnToken(db, { actor: me, client, id: token.id }, now)
    return { status: 'success' as const }
  }),
]
