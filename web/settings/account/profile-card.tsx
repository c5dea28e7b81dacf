import { Button, Group, Stack, TextInput, PasswordInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type * as z from 'zod'
import { updateProfile, askEmailChange } from '../../../worker/account/contract'
import type { Profile } from '../../../worker/account/contract'
import { formRules } from '../../lib/form-rules'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { updateNamesMutation, updateEmailMutation } from './api'
import { FormDialog, FormFoot } from '../../ui/form-dialog'
import { isWrongPassword } from '../../lib/outcome'

export function ProfileCard({ profile }: { profile: z.output<typeof Profile> }) {
  const { username, email, has_password, last_login, first_name, last_name } = profile
  const [isEmailOpen, emailDialog] = useDisclosure(false)
  const saving = useMutation(updateNamesMutation)
  const form = useForm({ initialValues: { first_name, last_name }, validate: formRules(updateProfile) })

  return (
    <Card title="Profile">
      <form onSubmit={form.onSubmit((names) => saving.mutate(names))} noValidate>
        <Stack gap="sm">
          <Facts>
            <Fact label="Username">{username}</Fact>
            <Fact label="Last sign-in">
              <Timestamp at={last_login} withTime />
            </Fact>
          </Facts>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Facts>
              <Fact label="E-mail">{email}</Fact>
            </Facts>
            {has_password ? (
              <Button variant="default" size="xs" onClick={emailDialog.open} style={{ flexShrink: 0 }}>
                Change e-mail
              </Button>
            ) : (
              <AppLink to="/lostpassword">Set a password by mail to change it</AppLink>
            )}
          </Group>
          <TextInput
            label="First name"
            autoComplete="given-name"
            maxLength={128}
            {...form.getInputProps('first_name')}
          />
          <TextInput
            label="Last name"
            autoComplete="family-name"
            maxLength={128}
            {...form.getInputProps('last_name')}
          />
          <FormFoot isPending={saving.isPending} />
        </Stack>
      </form>
      {isEmailOpen && <EmailDialog onClose={emailDialog.close} />}
    </Card>
  )
}

function EmailDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ initialValues: { email: '', password: '' }, validate: formRules(askEmailChange) })
  const change = useMutation(updateEmailMutation)
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: onClose,
      onError: (error) => {
        if (isWrongPassword(error)) form.setFieldError('password', error.message)
      },
    }),
  )
  return (
    <FormDialog
      title="Change e-mail"
      action="Send the link"
      isPending={change.isPending}
      onSubmit={submit}
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
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        maxLength={256}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        {...form.getInputProps('password')}
      />
    </FormDialog>
  )
}
