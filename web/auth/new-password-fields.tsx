import type { UseFormReturnType } from '@mantine/form'
import { PasswordRules } from '../ui/password-rules'
import { CapsLockHint, useCapsLock } from './caps-lock'
import * as z from 'zod'
import { NewPassword } from '../../worker/domain/people/password'
import { PasswordField } from '../ui/password-field'

type Values = { password: string; password_confirm: string }
type Props<Form> = {
  form: UseFormReturnType<Form>
  /** Whether the form begins with it. */
  isFirst?: boolean
}

export function NewPasswordFields<Form extends Values>({ form, isFirst = false }: Props<Form>) {
  const capsLock = useCapsLock()
  return (
    <>
      <PasswordField
        label="Password"
        autoComplete="new-password"
        autoFocus={isFirst}
        {...capsLock.handlers}
        {...form.getInputProps('password')}
      />
      <PasswordRules password={form.values.password} />
      <PasswordField
        label="Password again"
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the repeated password' }}
        {...capsLock.handlers}
        {...form.getInputProps('password_confirm')}
      />
      <CapsLockHint isOn={capsLock.isOn} />
    </>
  )
}

export const NewPasswords = z
  .object({ password: NewPassword, password_confirm: z.string() })
  .refine(({ password, password_confirm }) => password === password_confirm, {
    path: ['password_confirm'],
    message: 'Password mismatch.',
  })
