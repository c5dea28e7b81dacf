import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../lib/format'
import { AppLink } from './app-link'
import classes from './count-card.module.css'

export const CountCards = ({ children }: { children: ReactNode }) => <div className={classes.cards}>{children}</div>

type Linked = { count: number | undefined; isExact?: boolean; to?: string }

export function CountCard({ title, children, ...counted }: Linked & { title: string; children: ReactNode }) {
  return (
    <section className={classes.card} aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.count}>
        <Count {...counted} of={title} />
      </p>
      <ul className={classes.parts}>{children}</ul>
    </section>
  )
}

export function CountPart({ one, many = `${one}s`, ...counted }: Linked & { one: string; many?: string }) {
  const label = counted.count === 1 ? one : many
  return (
    <li>
      <Count {...counted} of={label} /> {label}
    </li>
  )
}

function Count({ count, isExact, to, of }: Linked & { of: string }) {
  if (count === undefined) return <Skeleton component="span" display="inline-block" height="0.8em" width="1.5em" />
  if (!to) return <span className={classes.number}>{formatCount(count, isExact)}</span>
  return (
    <AppLink to={to} underline="hover" className={classes.number} aria-label={`${formatCount(count, isExact)} ${of}`}>
      {formatCount(count, isExact)}
    </AppLink>
  )
}
