import type { ReactNode } from 'react'
import classes from './facts.module.css'

export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes.facts}>{children}</dl>

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>{children}</dd>
    </div>
  )
}
