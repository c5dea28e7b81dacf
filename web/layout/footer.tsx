import { UnstyledButton } from '@mantine/core'
import { keyDialog } from '../ui/keys'
import { Freshness } from './freshness'
import classes from './footer.module.css'
import { OwnVersion } from './own-version'

export function Footer() {
  return (
    <footer className={classes.footer}>
      <Freshness />
      <UnstyledButton className={classes.keys} onClick={() => (keyDialog.value = 'keys')}>
        Keyboard shortcuts
      </UnstyledButton>
      <OwnVersion />
    </footer>
  )
}
