import { IconInbox, type Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './state.module.css'

type Props = { title: string; text?: ReactNode; icon?: Icon; children?: ReactNode }

export function EmptyState({ title, text, icon: Icon = IconInbox, children }: Props) {
  return (
    <div className={classes.state}>
      <Icon size={28} stroke={1.5} aria-hidden />
      <p className={classes.title}>{title}</p>
      {text && <p className={classes.text}>{text}</p>}
      {children}
    </div>
  )
}
