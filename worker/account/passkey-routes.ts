import { route } from '../http/route'
import { requireProof } from '../auth/proof'
import { requireSessionActor } from '../auth/session-actor'
import { addPasskey, listPasskeys, passkeyOptions, removePasskey, renamePasskey } from './passkeys-contract'
import { findPasskeys, passkeyCeremony, removeOwnPasskey, renameOwnPasskey, savePasskey } from './passkeys'

export const passkeyRoutes = [
  route(listPasskeys).handle(({ db, actor }) => findPasskeys(db, requireSessionActor(actor).user_id)),
  route(passkeyOptions).handle(async ({ env, db, now, actor }) =>
    passkeyCeremony(env, db, await requireProof(db, actor, now), now),
  ),
  route(addPasskey).handle(async ({ env, db, now, client, actor, body }) =>
    savePasskey(env, db, { actor: await requireProof(db, actor, now), client, ...body }, now),
  ),
  route(renamePasskey).handle(({ db, actor, params, body }) =>
    renameOwnPasskey(db, requireSessionActor(actor).user_id, { id: params.id, name: body.name }),
  ),
  route(removePasskey).handle(async ({ env, db, now, client, actor, params }) => {
    await removeOwnPasskey(db, { env, actor: requireSessionActor(actor), client, id: params.id }, now)
    return { status: 'success' as const }
  }),
]
