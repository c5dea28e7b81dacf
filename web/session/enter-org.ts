import { currentUser } from '../../worker/auth/contract'
import { call } from '../lib/call'
import { lookAtOrg } from './known-org'
import { startSession } from './session'

/** Rights and screens belong to one organization, so the caller loads the page anew. */
export async function enterOrg({ org_id: id, org_name: name }: { org_id: number; org_name: string }) {
  const [user] = await Promise.all([call(currentUser), lookAtOrg()])
  startSession(user, { id, name })
}

export const goHome = () => location.assign('/homepage')
