import { Burger } from '@mantine/core'
import { Link } from 'react-router-dom'
import { Brand } from '../ui/brand'
import { OrgMenu } from './org-menu'
import { KeysButton } from './keys-button'
import { SignOutButton } from './sign-out-button'
import { TopSearch } from './top-search'
import classes from './top-bar.module.css'

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
        <KeysButton />
        <OrgMenu />
        <SignOutButton />
      </div>
    </header>
  )
}
