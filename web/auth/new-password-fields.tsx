import { PasswordInput } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { PasswordRules } from '../ui/password-rules'
import { CapsLockHint, useCapsLock } from './caps-lock'
import * as z from 'zod'
import { NewPassword } from '../../worker/domain/people/password'

type Props = {
  password: string
  inputs: { first: GetInputPropsReturnType; second: GetInputPropsReturnType }
  /** Whether the form begins with it. */
  isFirst?: boolean
}

export function NewPasswordFields({ password, inputs, isFirst = false }: Props) {
  const capsLock = useCapsLock()
  return (
    <>
      <PasswordInput
        label="Password"
        autoComplete="new-password"
        autoFocus={isFirst}
        maxLength={256}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        {...capsLock.handlers}
        {...inputs.first}
      />
      <PasswordRules password={password} />
      <PasswordInput
        label="Password again"
        autoComplete="new-password"
        maxLength={256}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the repeated password' }}
        {...capsLock.handlers}
        {...inputs.second}
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
