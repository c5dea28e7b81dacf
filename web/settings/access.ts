import { policies } from '../../worker/domain/access'
import type { Access } from '../../worker/domain/access'
import { useSession } from '../session/session'

/** Whether the signed-in user may do what an endpoint with this policy does; the worker asks the same again. */
export function useAccess() {
  const { user, org } = useSession()
  const actor = user && {
    user_id: user.id,
    org_id: org?.id ?? 0,
    session_id: null,
    is_admin: user.is_admin,
    is_org_admin: user.is_org_admin,
    ...user.profile,
    read_only: null,
  }
  return (access: Access) => policies[access](actor ?? undefined)
}
