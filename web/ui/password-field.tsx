import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useId } from 'react'

/** Says that it is wrong, and why, to people who do not see it as well. */
export function PasswordField({ error, ...input }: PasswordInputProps) {
  const id = useId()
  const isWrong = Boolean(error)
  return (
    <PasswordInput
      error={error}
      errorProps={{ id }}
      aria-invalid={isWrong || undefined}
      aria-describedby={isWrong ? id : undefined}
      {...input}
    />
  )
}
