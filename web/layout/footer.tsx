import { Freshness } from './freshness'
import classes from './footer.module.css'
import { version } from './version'

export function Footer() {
  return (
    <footer className={classes.footer}>
      <Freshness />
      <span>Earshot {version}</span>
    </footer>
  )
}
