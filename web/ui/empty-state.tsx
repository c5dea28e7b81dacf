import { IconInbox } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './state.module.css'

type Props = { title: string; text?: ReactNode; icon?: ReactNode; children?: ReactNode }

export function EmptyState({ title, text, icon = <IconInbox size={28} stroke={1.5} aria-hidden />, children }: Props) {
  return (
    <div className={classes.state}>
      {icon}
      <p className={classes.title}>{title}</p>
      {text && <p className={classes.text}>{text}</p>}
      {children}
    </div>
  )
}
