import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { useSession } from '../../session/session'
import { useAccess } from '../../session/access'
import { RowMenu } from './row-menu'
import { memberMutation, sendResetLinkMutation } from './api'

export type OpenUser = { dialog: 'edit' | 'disable' | 'remove'; member: OrgUserRow }
type Props = { member: OrgUserRow; onOpen: (open: OpenUser) => void }

export function UserMenu({ member, onOpen }: Props) {
  const { user } = useSession()
  const mayChange = useAccess()('orgAdmin')
  const promotion = useMutation(memberMutation(member.is_admin ? 'demote' : 'promote'))
  const admission = useMutation(memberMutation('enable'))
  const reset = useMutation(sendResetLinkMutation)
  const isSelf = user?.id === member.user
  const isPending = promotion.isPending || admission.isPending || reset.isPending
  return (
    <RowMenu label={`Actions on ${member.username}`} isPending={isPending}>
      <Menu.Item onClick={() => onOpen({ dialog: 'edit', member })}>
        {mayChange && !isSelf ? 'View or edit' : 'View'}
      </Menu.Item>
      {mayChange && isSelf && (
        <Menu.Label>This is you: only another admin can change your role or membership.</Menu.Label>
      )}
      {mayChange && !isSelf && (
        <>
          <Menu.Item onClick={() => promotion.mutate(member)}>
            {member.is_admin ? 'Remove admin role' : 'Make admin'}
          </Menu.Item>
          {member.is_active ? (
            <Menu.Item onClick={() => onOpen({ dialog: 'disable', member })}>Disable</Menu.Item>
          ) : (
            <Menu.Item onClick={() => admission.mutate(member)}>Enable</Menu.Item>
          )}
          <Menu.Item onClick={() => reset.mutate(member.user)}>Send a password link</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="var(--alarm)" onClick={() => onOpen({ dialog: 'remove', member })}>
            Remove
          </Menu.Item>
        </>
      )}
    </RowMenu>
  )
}
