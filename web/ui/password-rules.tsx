import { IconCheck, IconCircle } from '@tabler/icons-react'
import { NewPassword } from '../../worker/domain/people/password'
import classes from './password-rules.module.css'

const rules = messagesFor('')

export function PasswordRules({ password }: { password: string }) {
  const broken = messagesFor(password)
  return (
    <ul className={classes.rules} aria-label="Rules of the new password">
      {rules.map((rule) => {
        const isMet = !broken.includes(rule)
        const Icon = isMet ? IconCheck : IconCircle
        return (
          <li key={rule} data-met={isMet || undefined}>
            <Icon size={14} aria-label={isMet ? 'met:' : 'not met:'} role="img" />
            {rule}
          </li>
        )
      })}
    </ul>
  )
}

// The other rules make "required" superfluous.
function messagesFor(password: string) {
  const { error } = NewPassword.safeParse(password)
  return (error?.issues ?? []).map(({ message }) => message).filter((message) => message !== 'Password is required')
}
