import type { ReactNode } from 'react'
import classes from './mark.module.css'

type Props = {
  tone: 'alarm' | 'warning' | 'calm' | 'quiet' | 'plain'
  icon?: ReactNode
  title?: string
  children: ReactNode
}

export function Mark({ tone, icon, title, children }: Props) {
  return (
    <span className={`${classes.mark} ${classes[tone]}`} title={title}>
      {icon}
      {children}
    </span>
  )
}
