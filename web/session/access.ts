import { useQuery } from '@tanstack/react-query'
import { currentUser } from '../../worker/auth/contract'
import { policies, type Access } from '../../worker/domain/people/access'
import { useSession } from './session'
import { askFor } from '../lib/ask'

/** Rights that another admin changed since the sign-in count at once. */
const currentUserQuery = askFor(['account', 'current'], currentUser, {})

export function useAccess() {
  const { user: signedIn, org } = useSession()
  const { data: user = signedIn } = useQuery(currentUserQuery)
  const actor = user && {
    user_id: user.id,
    org_id: org?.id ?? 0,
    session_id: null,
    token_id: null,
    is_bound: false,
    is_acting: user.is_acting,
    is_admin: user.is_admin,
    is_org_admin: user.is_org_admin,
    ...user.profile,
    read_only: null,
    time_zone: 'UTC',
  }
  return (access: Access) => policies[access](actor ?? undefined)
}
