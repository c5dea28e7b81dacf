import { useMutation } from '@tanstack/react-query'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { memberMutation } from './api'

type Props = { member: OrgUserRow; onClose: () => void }

export function RemoveUserDialog({ member, onClose }: Props) {
  const { isPending, mutate } = useMutation(memberMutation('remove'))
  return (
    <ConfirmDialog
      title={`Remove ${member.username}`}
      action="Remove"
      isOpen
      isPending={isPending}
      onConfirm={() => mutate(member, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p style={{ marginTop: 0 }}>Do you really want to delete user ?</p>
      <p style={{ marginBottom: 0 }}>
        <strong>{member.username}</strong> loses access to <strong>{member.org_name}</strong> at once.
      </p>
    </ConfirmDialog>
  )
}

export function DisableUserDialog({ member, onClose }: Props) {
  const { isPending, mutate } = useMutation(memberMutation('disable'))
  return (
    <ConfirmDialog
      title={`Disable ${member.username}?`}
      action="Disable"
      isOpen
      isPending={isPending}
      onConfirm={() => mutate(member, { onSuccess: onClose })}
      onClose={onClose}
    >
      <strong>{member.username}</strong> loses access to <strong>{member.org_name}</strong> at once, until they are
      enabled again.
    </ConfirmDialog>
  )
}
