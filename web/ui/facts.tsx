import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

export const Facts = ({ children }: { children: ReactNode }) => <dl className={classes.facts}>{children}</dl>

/** With a width it keeps its place until it is known. */
export function Fact({ label, width, children }: { label: string; width?: number; children: ReactNode }) {
  return (
    <div>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>{children ?? (width && <Skeleton height={14} w={width} />)}</dd>
    </div>
  )
}
