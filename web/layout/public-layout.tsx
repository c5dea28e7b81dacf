import { Outlet, useLocation } from 'react-router-dom'
import { AppLink } from '../ui/app-link'
import { Brand } from '../ui/brand'
import { OwnVersion } from './own-version'
import classes from './public-layout.module.css'

export function PublicLayout() {
  const { pathname } = useLocation()
  return (
    <div className={classes.shell}>
      <header className={classes.header}>
        <Brand />
        <p>Hears which new vulnerability touches what you run, and tells you within minutes.</p>
      </header>
      <main className={classes.card}>
        <Outlet />
      </main>
      <nav className={classes.links} aria-label="Account">
        <AppLink to="/auth">Sign in</AppLink>
        {pathname !== '/trial' && <AppLink to="/trial">Start a free 14-day trial</AppLink>}
      </nav>
      <footer className={classes.footer}>
        <OwnVersion />
      </footer>
    </div>
  )
}
