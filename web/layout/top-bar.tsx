import { Burger, ActionIcon, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link, useNavigate } from 'react-router-dom'
import { Brand } from '../ui/brand'
import classes from './top-bar.module.css'
import {
  IconCommand,
  IconBuilding,
  IconCheck,
  IconChevronDown,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSun,
} from '@tabler/icons-react'
import { keyDialog } from '../ui/keys'
import { UrgentBell } from './urgent-bell'
import { useMutation } from '@tanstack/react-query'
import { useSession } from '../session/session'
import { switchOrgMutation } from './api'
import { signOut } from '../session/sign-in'
import { TopSearch } from './top-search'

type Props = { isMenuOpen: boolean; onMenu: () => void }

export function TopBar({ isMenuOpen, onMenu }: Props) {
  return (
    <header className={classes.bar}>
      <Burger
        hiddenFrom="md"
        size="sm"
        opened={isMenuOpen}
        onClick={onMenu}
        aria-label="Menu"
        aria-expanded={isMenuOpen}
      />
      <Link to="/homepage" className={classes.home}>
        <Brand />
      </Link>
      <TopSearch />
      <div className={classes.account}>
        <UrgentBell />
        <KeysButton />
        <OrgMenu />
        <SignOutButton />
      </div>
    </header>
  )
}

const KeysButton = () => (
  <ActionIcon
    variant="subtle"
    color="gray"
    size={36}
    visibleFrom="xs"
    aria-label="Go, find or do anything"
    title="Go, find or do anything (Ctrl+K)"
    onClick={() => (keyDialog.value = 'palette')}
  >
    <IconCommand size={18} />
  </ActionIcon>
)

function OrgMenu() {
  const { user, org } = useSession()
  const switching = useMutation(switchOrgMutation)
  if (!user || !org) return null

  return (
    <Menu withinPortal={false} width={240}>
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
        <Menu.Divider />
        <ThemeItems />
      </Menu.Dropdown>
    </Menu>
  )
}

const themes = [
  { scheme: 'light', label: 'Light', Icon: IconSun },
  { scheme: 'dark', label: 'Dark', Icon: IconMoon },
  { scheme: 'auto', label: 'As the system', Icon: IconDeviceDesktop },
] as const

function ThemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>Theme</Menu.Label>
      {themes.map(({ scheme, label, Icon }) => (
        <Menu.Item
          key={scheme}
          leftSection={<Icon size={16} aria-hidden />}
          rightSection={scheme === colorScheme && <IconCheck size={16} aria-label="current" />}
          onClick={() => setColorScheme(scheme)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  )
}

function SignOutButton() {
  const navigate = useNavigate()
  const leave = async () => {
    await navigate('/auth')
    await signOut()
  }
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Sign out"
      title="Sign out"
      onClick={() => void leave()}
    >
      <IconLogout size={18} aria-hidden />
    </ActionIcon>
  )
}
