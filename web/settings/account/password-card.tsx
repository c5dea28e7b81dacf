import { useForm } from '@mantine/form'
import { changePassword } from '../../../worker/account/contract'
import { formRules } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Form, FormFoot } from '../../ui/form'
import { PasswordRules } from '../../ui/password-rules'
import classes from '../settings.module.css'
import { updatePasswordMutation } from './api'
import { PasswordField } from '../../ui/password-field'

const nothing = { old_password: '', new_password1: '', new_password2: '' }

export function PasswordCard({ username }: { username: string }) {
  const form = useForm({ initialValues: nothing, validate: formRules(changePassword) })
  const { isPending, save } = useSaving(updatePasswordMutation, () => form.reset(), form)
  const { new_password1, new_password2 } = form.values
  const isSame = new_password1 === new_password2
  return (
    <Card title="Password">
      <Form onSubmit={form.onSubmit(save)}>
        <input type="hidden" autoComplete="username" value={username} readOnly />
        <PasswordField label="Old password" autoComplete="current-password" {...form.getInputProps('old_password')} />
        <PasswordField label="New password" autoComplete="new-password" {...form.getInputProps('new_password1')} />
        <PasswordRules password={new_password1} />
        <PasswordField
          label="New password again"
          autoComplete="new-password"
          {...form.getInputProps('new_password2')}
          error={new_password2 !== '' && !isSame ? 'Password mismatch.' : form.errors.new_password2}
        />
        <FormFoot action="Change password" isPending={isPending} isReady={new_password1 !== '' && isSame} />
      </Form>
    </Card>
  )
}

export const NoPasswordCard = () => (
  <Card title="Password">
    <p className={classes.note}>
      This account has none: it signs in by your organization’s provider. The first one ends all devices, passkeys, API
      tokens and the second factor that were set up without it. <AppLink to="/lostpassword">Set one by mail</AppLink>
    </p>
  </Card>
)
