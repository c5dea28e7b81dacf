import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../lib/format'
import { AppLink } from './app-link'
import classes from './count-card.module.css'

export const CountCards = ({ children }: { children: ReactNode }) => <div className={classes.cards}>{children}</div>

type Linked = { count: number | undefined; to?: string }

export function CountCard({ title, count, to, children }: Linked & { title: string; children: ReactNode }) {
  return (
    <section className={classes.card} aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.count}>
        <Count count={count} to={to} of={title} />
      </p>
      <ul className={classes.parts}>{children}</ul>
    </section>
  )
}

export function CountPart({ one, many, count, to }: Linked & { one: string; many: string }) {
  const label = count === 1 ? one : many
  return (
    <li>
      <Count count={count} to={to} of={label} /> {label}
    </li>
  )
}

function Count({ count, to, of }: Linked & { of: string }) {
  if (count === undefined) return <Skeleton component="span" display="inline-block" height="0.8em" width="1.5em" />
  if (!to) return <span className={classes.number}>{formatCount(count)}</span>
  return (
    <AppLink to={to} underline="hover" className={classes.number} aria-label={`${formatCount(count)} ${of}`}>
      {formatCount(count)}
    </AppLink>
  )
}
