import { Outlet } from 'react-router-dom'
import { Brand } from '../ui/brand'
import classes from './public-layout.module.css'
import { version } from './version'

export function PublicLayout() {
  return (
    <div className={classes.shell}>
      <header>
        <Brand />
      </header>
      <main className={classes.card}>
        <Outlet />
      </main>
      <footer className={classes.footer}>Earshot {version}</footer>
    </div>
  )
}
