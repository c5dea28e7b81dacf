import { Button, Group, PasswordInput, Stack, Switch, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { formErrors } from '../../lib/form-rules'
import { CopyField } from '../../ui/copy-field'
import { updateSsoMutation } from './api'
import type { Sso } from './api'

type Props = { sso: Sso; children: ReactNode }

export function SsoForm({ sso, children }: Props) {
  const { issuer, client_id, email_domains, is_enabled, has_secret, redirect_url } = sso
  const saving = useMutation(updateSsoMutation)
  const form = useForm({
    initialValues: { issuer, client_id, client_secret: '', email_domains, is_enabled: is_enabled || issuer === '' },
    validate: {
      issuer: (url) => (isWebAddress(url) ? null : 'Must be the address of the provider, with https://'),
      client_id: (id) => (id.trim() ? null : 'Client id is required'),
      email_domains: domainProblem,
    },
  })
  const submit = form.onSubmit(({ client_secret, ...change }) =>
    saving.mutate(
      { ...change, client_secret: client_secret || undefined },
      {
        onSuccess: () => form.setFieldValue('client_secret', ''),
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" mt="sm">
        <CopyField label="Redirect URL" value={redirect_url} />
        <TextInput
          type="url"
          label="Issuer"
          placeholder="https://login.example.com"
          maxLength={500}
          {...form.getInputProps('issuer')}
        />
        <TextInput label="Client id" autoComplete="off" maxLength={500} {...form.getInputProps('client_id')} />
        <PasswordInput
          label="Client secret"
          description={has_secret ? 'One is stored. Leave this empty to keep it.' : undefined}
          placeholder={has_secret ? 'stored' : ''}
          autoComplete="off"
          maxLength={2000}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
          {...form.getInputProps('client_secret')}
        />
        <TagsInput
          label="E-mail domains"
          description="Enter or a comma adds one"
          placeholder={form.values.email_domains.length === 0 ? 'example.com' : ''}
          splitChars={[',', ';', ' ']}
          maxTags={20}
          {...form.getInputProps('email_domains')}
        />
        <Switch label="Enabled" {...form.getInputProps('is_enabled', { type: 'checkbox' })} />
        <Group justify="flex-end" gap="xs">
          {children}
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

// A provider on this machine is for trying things out.
const isWebAddress = (url: string) => /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)\b)\S+$/.test(url.trim())

function domainProblem(domains: string[]) {
  const wrong = domains.find((domain) => !/^[a-z0-9.-]+\.[a-z]{2,}$/i.test(domain.trim()))
  if (wrong) return `Must be a domain: ${wrong}`
  return domains.length === 0 ? 'At least one domain' : null
}
