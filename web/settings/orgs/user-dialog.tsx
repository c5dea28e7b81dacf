import { Modal, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { useAccess } from '../../session/access'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import { UserAccount } from './user-account'
import { UserForm } from './user-form'
import { userQuery } from './api'
import { useFocusBack } from '../../ui/focus-back'

type Props = { member: OrgUserRow; onClose: () => void }

export function UserDialog({ member, onClose }: Props) {
  useFocusBack()
  const { data: user, error, isFetchedAfterMount, refetch } = useQuery(userQuery(member.user))
  const { user: self } = useSession()
  const isGlobal = useAccess()('admin') && self?.id !== member.user
  const shown = !error && isFetchedAfterMount && user
  return (
    <Modal opened onClose={onClose} title={member.username} centered>
      {error && <FailedState title="Unable to retreive user's info" error={error} onRetry={() => void refetch()} />}
      {!error && !isFetchedAfterMount && <Skeleton height={360} />}
      {shown && <UserForm user={shown} member={member} onClose={onClose} />}
      {shown && isGlobal && <UserAccount user={shown} onClose={onClose} />}
    </Modal>
  )
}
