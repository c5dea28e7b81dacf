import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import classes from './stat-cards.module.css'

type Stats = {
  vulns: number
  vulns_exploitable: number
  vulns_remote: number
  exploits: number
  threats: number
  monitored: number
  monitored_vendors: number
  monitored_products: number
  monitored_vulns: number
}

export function StatCards({ stats }: { stats: Stats | undefined }) {
  return (
    <div className={classes.cards}>
      <Card title="Vulnerabilities" count={stats?.vulns} to="/vulns">
        <Part one="exploitable" many="exploitable" count={stats?.vulns_exploitable} to="/vulns?is_exploitable=true" />
        <Part one="remote" many="remote" count={stats?.vulns_remote} />
      </Card>
      <Card title="Metadata" count={stats && stats.exploits + stats.threats} to="/vulns?is_exploitable=true">
        <Part one="exploit" many="exploits" count={stats?.exploits} to="/vulns?is_exploitable=true" />
        <Part one="threat" many="threats" count={stats?.threats} />
      </Card>
      <Card title="Monitored items" count={stats?.monitored} to="/vulns?monitored=true">
        <Part one="vendor" many="vendors" count={stats?.monitored_vendors} />
        <Part one="product" many="products" count={stats?.monitored_products} to="/products?monitored=true" />
        <Part one="vulnerability" many="vulnerabilities" count={stats?.monitored_vulns} to="/vulns?monitored=true" />
      </Card>
    </div>
  )
}

type Linked = { count: number | undefined; to?: string }

function Card({ title, count, to, children }: Linked & { title: string; children: ReactNode }) {
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

function Part({ one, many, count, to }: Linked & { one: string; many: string }) {
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
