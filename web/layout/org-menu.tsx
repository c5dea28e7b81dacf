import { Menu, UnstyledButton } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { IconBuilding, IconCheck, IconChevronDown } from '@tabler/icons-react'
import { useSession } from '../session/session'
import { switchOrgMutation } from './api'
import classes from './top-bar.module.css'

export function OrgMenu() {
  const { user, org } = useSession()
  const switching = useMutation(switchOrgMutation)
  if (!user || !org) return null

  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.organization} title={`${user.username}@${org.name}`}>
          <span className={classes.who}>
            {user.username}@{org.name}
          </span>
          <IconChevronDown size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Switch organization</Menu.Label>
        {user.orgs.map(({ id, name }) => (
          <Menu.Item
            key={id}
            leftSection={<IconBuilding size={16} aria-hidden />}
            rightSection={id === org.id && <IconCheck size={16} aria-label="current" />}
            disabled={switching.isPending}
            onClick={() => id !== org.id && switching.mutate(id)}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
