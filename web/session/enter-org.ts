import { currentUser } from '../../worker/auth/contract'
import { call } from '../lib/call'
import { startSession } from './session'

/** Rights differ from one organization to the next; what is on screen belongs to one, so the caller loads a page anew. */
export const enterOrg = async ({ org_id: id, org_name: name }: { org_id: number; org_name: string }) =>
  startSession(await call(currentUser), { id, name })

export const goHome = () => location.assign('/homepage')
