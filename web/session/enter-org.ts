import { currentUser } from '../../worker/auth/contract'
import { call } from '../lib/call'
import { startSession } from './session'

/** Rights and screens belong to one organization, so the caller loads the page anew. */
export const enterOrg = async ({ org_id: id, org_name: name }: { org_id: number; org_name: string }) =>
  startSession(await call(currentUser), { id, name })

export const goHome = () => location.assign('/homepage')
