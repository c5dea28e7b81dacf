import { forbidden } from '../../http/errors'
import { route } from '../../http/route'
import { finishSso, startSso } from './contract'
import { openSession } from '../sessions'
import { admitMember } from './member'
import { askPerson } from './person'
import { findProvider } from './provider'
import { startSignIn, takeBegun } from './start'

export const ssoRoutes = [
  route(startSso).handle(({ env, db, now, body }) => startSignIn(env, db, body.email, now)),

  route(finishSso).handle(async ({ env, db, now, client, body }) => {
    const begun = await takeBegun(env, db, body.state, now)
    const { org_id } = begun
    if (body.org_id !== org_id) throw forbidden('This answer is for another sign-in')
    const provider = await findProvider(db, org_id)
    if (!provider?.is_enabled || provider.issuer !== begun.issuer) throw forbidden('Single sign-on was switched off')
    if (!provider.is_org_active) throw forbidden('This organization is disabled')

    const person = await askPerson(env, provider, { code: body.code, iss: body.iss, begun }, now)
    const user_id = await admitMember(db, org_id, person, { env, client, now })
    return openSession(env, db, { user_id, org_id, client, by: 'provider', sso_org_id: org_id }, now)
  }),
]
