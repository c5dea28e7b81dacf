import './components.css'
import { Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Navigate, Outlet, ScrollRestoration, useLocation, type Location } from 'react-router-dom'
import { signInPath } from '../session/guard'
import { useSession } from '../session/session'
import { Brand } from '../ui/brand'
import { ActingBanner, OfflineBanner, TrialBanner } from './trial-banner'
import { Footer } from './footer'
import { Keyboard } from './keyboard'
import classes from './main-layout.module.css'
import { EndedDialog } from './ended-dialog'
import { ProofDialog } from './proof-dialog'
import { SideMenu } from './side-menu'
import { TopBar } from './top-bar'
import { ensure } from '../lib/ensure'
import { orgInfoQuery } from '../session/known-org'

/** All addresses that were typed or opened from outside have the same key: none begins where another one was left. */
const keyOfScroll = ({ key, pathname, search }: Location) => (key === 'default' ? pathname + search : key)

export const startLayout = () => ensure(orgInfoQuery)

export function MainLayout() {
  const { authenticated } = useSession()
  const place = useLocation()
  const [isMenuOpen, menu] = useDisclosure(false)

  if (!authenticated) return <Navigate to={signInPath(place)} replace />
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <TopBar isMenuOpen={isMenuOpen} onMenu={menu.toggle} />
      <nav className={classes.side} aria-label="Main">
        <SideMenu />
      </nav>
      <Drawer opened={isMenuOpen} onClose={menu.close} title={<Brand />} size={260} hiddenFrom="md">
        <nav aria-label="Main">
          <SideMenu onGo={menu.close} />
        </nav>
      </Drawer>
      <div className={classes.body}>
        <OfflineBanner />
        <ActingBanner />
        <TrialBanner />
        <main id="content" tabIndex={-1} className={classes.main}>
          <Outlet />
        </main>
        <Footer />
      </div>
      <ProofDialog />
      <EndedDialog />
      <Keyboard />
      <ScrollRestoration getKey={keyOfScroll} />
    </div>
  )
}
