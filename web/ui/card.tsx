import type { ReactNode } from 'react'
import classes from './card.module.css'

type Props = { title: string; aside?: ReactNode; children: ReactNode }

export function Card({ title, aside, children }: Props) {
  return (
    <section className={classes.card} aria-label={title}>
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
