import { TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { AppLink } from '../ui/app-link'
import { Form, SubmitButton, type Submit } from '../ui/form'

type Props = {
  onSubmit: Submit
  action: string
  isPending: boolean
  isReady?: boolean
  /** Follows the button. */
  below?: ReactNode
  children: ReactNode
}

export const AuthForm = ({ onSubmit, action, isPending, isReady = true, below, children }: Props) => (
  <Form onSubmit={onSubmit}>
    {children}
    <SubmitButton loading={isPending} disabled={!isReady} fullWidth mt="xs">
      {action}
    </SubmitButton>
    {below}
  </Form>
)

export const AuthLink = ({ to, children }: { to: string; children: string }) => (
  <AppLink to={to} fz="sm" flex="none">
    {children}
  </AppLink>
)

/** The first field of a form that asks for an address. */
export const EmailField = (props: TextInputProps) => (
  <TextInput label="E-mail" type="email" autoComplete="email" autoFocus maxLength={254} {...props} />
)

/** Once the token of a mailed link is read: the address bar, and the history of a browser that others use, need it no longer. */
export const hideToken = (path: string) => window.history.replaceState(window.history.state, '', path)
