import { route } from '../../http/route'
import { passkeyLogin, passkeyLoginOptions, recoveryLogin, totpLogin } from '../contract'
import { passkeyLoginCeremony, passkeySignIn } from './passkeys'
import { finishSignIn } from './second-factor'

export const mfaRoutes = [
  route(totpLogin).handle(({ env, db, now, client, params: { code }, body: { eph_token } }) =>
    finishSignIn(env, db, { method: 'totp', eph_token, code, client }, now),
  ),
  route(recoveryLogin).handle(({ env, db, now, client, body }) =>
    finishSignIn(env, db, { method: 'recovery', ...body, client }, now),
  ),
  route(passkeyLoginOptions).handle(({ env, db, now, body }) => passkeyLoginCeremony(env, db, body.eph_token, now)),
  route(passkeyLogin).handle(({ env, db, now, client, body }) => passkeySignIn(env, db, { ...body, client }, now)),
]
