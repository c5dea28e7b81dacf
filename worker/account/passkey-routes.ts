import { route } from '../http/route'
import { signedIn } from '../auth/signed-in'
import { addPasskey, listPasskeys, passkeyOptions, removePasskey, renamePasskey } from './passkeys-contract'
import { findPasskeys, passkeyCeremony, removeOwnPasskey, renameOwnPasskey, savePasskey } from './passkeys'

export const passkeyRoutes = [
  route(listPasskeys).handle(({ db, actor }) => findPasskeys(db, signedIn(actor).user_id)),
  route(passkeyOptions).handle(({ env, db, now, actor }) => passkeyCeremony(env, db, signedIn(actor), now)),
  route(addPasskey).handle(({ env, db, now, actor, body }) =>
    savePasskey(env, db, { actor: signedIn(actor), ...body }, now),
  ),
  route(renamePasskey).handle(({ db, actor, params, body }) =>
    renameOwnPasskey(db, signedIn(actor).user_id, { id: params.id, name: body.name }),
  ),
  route(removePasskey).handle(async ({ db, actor, params }) => {
    await removeOwnPasskey(db, signedIn(actor).user_id, params.id)
    return { status: 'success' as const }
  }),
]
