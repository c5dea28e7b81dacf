import { Modal, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { OrgUserRow } from '../../../worker/orgs/members-contract'
import { FailedState } from '../../ui/failed-state'
import { UserForm } from './user-form'
import { userQuery } from './users-api'

type Props = { member: OrgUserRow; onClose: () => void }

export function UserDialog({ member, onClose }: Props) {
  const { data: user, error, isFetchedAfterMount, refetch } = useQuery(userQuery(member.user))
  return (
    <Modal opened onClose={onClose} title={member.username} centered>
      {error && <FailedState title="Unable to retreive user's info" error={error} onRetry={() => void refetch()} />}
      {!error && !isFetchedAfterMount && <Skeleton height={360} />}
      {!error && isFetchedAfterMount && user && <UserForm user={user} member={member} onClose={onClose} />}
    </Modal>
  )
}
