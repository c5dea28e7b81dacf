import { Freshness } from './freshness'
import classes from './footer.module.css'
import { OwnVersion } from './own-version'

export function Footer() {
  return (
    <footer className={classes.footer}>
      <Freshness />
      <OwnVersion />
    </footer>
  )
}
