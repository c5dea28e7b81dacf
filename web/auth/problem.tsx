import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './auth.module.css'

export function FormProblem({ children }: { children: ReactNode }) {
  return (
    <p className={classes.problem} role="alert">
      <IconAlertTriangle size={18} aria-hidden />
      <span>{children}</span>
    </p>
  )
}
