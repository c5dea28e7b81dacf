import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './rating.module.css'

export function MetricRow({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.metric}>
      <div className={classes.metricName}>{label}</div>
      {children}
    </div>
  )
}

export function Weight({ weight }: { weight: number | undefined }) {
  if (weight === undefined) return null
  return (
    <span className={classes.weight}>
      <VisuallyHidden>weighs </VisuallyHidden>
      {weight}
    </span>
  )
}
