import { Stack, Text } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import { Page } from '../ui/page'
import { AuthLink } from './auth-form'
import classes from './auth.module.css'

export const FormProblem = ({ children }: { children: ReactNode }) => (
  <p className={classes.problem} role="alert">
    <IconAlertTriangle size={18} aria-hidden />
    <span>{children}</span>
  </p>
)

type DoneProps = { message: string; children?: ReactNode }

export const Done = ({ message, children }: DoneProps) => (
  <Stack role="status">
    <Text fw={600}>{message}</Text>
    {children}
  </Stack>
)

const shown_ms = 3000

/** Soon leads to the sign-in. */
export function DonePage({ title, link, message, children }: DoneProps & { title: string; link: string }) {
  const navigate = useNavigate()
  useTimeout(() => void navigate('/auth', { replace: true }), shown_ms, { autoInvoke: true })
  return (
    <Page title={title}>
      <Done message={message}>
        <Text size="sm">{children}</Text>
      </Done>
      <AuthLink to="/auth">{link}</AuthLink>
    </Page>
  )
}
