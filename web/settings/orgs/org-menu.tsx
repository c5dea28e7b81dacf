import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSession } from '../../session/session'
import type { OrgRow } from '../../../worker/orgs/contract'
import { actInOrgMutation, enableOrgMutation } from './api'
import type { OpenOrg } from './org-dialogs'
import { RowMenu } from './row-menu'

type Props = { org: OrgRow; onOpen: (open: OpenOrg) => void }

export function OrgRowMenu({ org, onOpen }: Props) {
  const enable = useMutation(enableOrgMutation)
  const acting = useMutation(actInOrgMutation)
  const { org: current } = useSession()
  return (
    <RowMenu label={`Actions on ${org.name}`} isPending={enable.isPending || acting.isPending}>
      {org.is_active && org.id !== current?.id && (
        <Menu.Item onClick={() => acting.mutate(org.id)}>Act in this organization</Menu.Item>
      )}
      <Menu.Item onClick={() => onOpen({ dialog: 'invite', org })}>Invite users</Menu.Item>
      {org.is_active ? (
        <Menu.Item onClick={() => onOpen({ dialog: 'disable', org })}>Disable</Menu.Item>
      ) : (
        <Menu.Item onClick={() => enable.mutate(org.id)}>Enable</Menu.Item>
      )}
      {org.trial_ends_at && (
        <>
          <Menu.Item onClick={() => onOpen({ dialog: 'extend', org })}>Extend the trial</Menu.Item>
          <Menu.Item onClick={() => onOpen({ dialog: 'convert', org })}>Convert the trial</Menu.Item>
        </>
      )}
      <Menu.Divider />
      <Menu.Item color="var(--alarm)" onClick={() => onOpen({ dialog: 'remove', org })}>
        Remove
      </Menu.Item>
    </RowMenu>
  )
}
