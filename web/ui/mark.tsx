import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './mark.module.css'

type Props = {
  tone: 'alarm' | 'warning' | 'calm' | 'quiet' | 'plain'
  icon?: Icon
  title?: string
  children: ReactNode
}

export function Mark({ tone, icon: Picture, title, children }: Props) {
  return (
    <span className={`${classes.mark} ${classes[tone]}`} title={title}>
      {Picture && <Picture size={13} aria-hidden />}
      {children}
    </span>
  )
}
