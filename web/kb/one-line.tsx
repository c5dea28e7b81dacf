import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import classes from './kb.module.css'

/** Longer texts do not fit into a line on any screen. */
const certainlyFits = 40

export function OneLine({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false)
  if (text.length <= certainlyFits) return <p className={classes.whole}>{text}</p>
  return (
    <div className={classes.oneLine}>
      <p className={isWhole ? classes.whole : classes.clamped}>{text}</p>
      <UnstyledButton className={classes.more} aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
        {isWhole ? 'less' : 'more'}
      </UnstyledButton>
    </div>
  )
}
