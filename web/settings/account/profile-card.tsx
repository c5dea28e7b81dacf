import { Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type * as z from 'zod'
import { askEmailChange, updateProfile, type Profile } from '../../../worker/account/contract'
import { formRules } from '../../lib/form-rules'
import { useSaving } from '../../lib/saving'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { DialogButton } from '../../ui/label-button'
import { Fact, Facts } from '../../ui/facts'
import { Form, FormFoot } from '../../ui/form'
import { FormDialog } from '../../ui/form-dialog'
import { Timestamp } from '../../ui/timestamp'
import { updateEmailMutation, updateNamesMutation } from './api'
import { PasswordField } from '../../ui/password-field'

export function ProfileCard({ profile }: { profile: z.output<typeof Profile> }) {
  const { username, email, has_password, last_login, first_name, last_name } = profile
  const form = useForm({ initialValues: { first_name, last_name }, validate: formRules(updateProfile) })
  const { isPending, save } = useSaving(updateNamesMutation)
  return (
    <Card title="Profile">
      <Form onSubmit={form.onSubmit((names) => save(names))}>
        <Facts>
          <Fact label="Username">{username}</Fact>
          <Fact label="Last sign-in">
            <Timestamp at={last_login} withTime />
          </Fact>
        </Facts>
        <Group justify="space-between" wrap="nowrap">
          <Facts>
            <Fact label="E-mail">{email}</Fact>
          </Facts>
          {has_password ? (
            <DialogButton
              size="xs"
              flex="none"
              label="Change e-mail"
              renderDialog={(close) => <EmailDialog onClose={close} />}
            />
          ) : (
            <AppLink to="/lostpassword">Set a password by mail to change it</AppLink>
          )}
        </Group>
        <TextInput label="First name" autoComplete="given-name" maxLength={128} {...form.getInputProps('first_name')} />
        <TextInput label="Last name" autoComplete="family-name" maxLength={128} {...form.getInputProps('last_name')} />
        <FormFoot isPending={isPending} />
      </Form>
    </Card>
  )
}

function EmailDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ initialValues: { email: '', password: '' }, validate: formRules(askEmailChange) })
  const { isPending, save } = useSaving(updateEmailMutation, onClose, form)
  return (
    <FormDialog
      title="Change e-mail"
      action="Send the link"
      isPending={isPending}
      onSubmit={form.onSubmit(save)}
      onClose={onClose}
    >
      <Text size="sm">A link goes to the new address. The old one stays until you open it.</Text>
      <TextInput
        type="email"
        label="New e-mail"
        autoComplete="email"
        data-autofocus
        maxLength={254}
        {...form.getInputProps('email')}
      />
      <PasswordField label="Your password" autoComplete="current-password" {...form.getInputProps('password')} />
    </FormDialog>
  )
}
