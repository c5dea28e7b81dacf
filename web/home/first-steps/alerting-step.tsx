import { Loader, Text, Button, CloseButton, Stack, TextInput } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import { orgSettingsQuery } from '../../settings/alerts/api'
import { Step } from './step'
import { schemaResolver, useForm, type UseFormReturnType } from '@mantine/form'
import * as z from 'zod'
import { Email } from '../../../worker/domain/people/password'
import type { OrgSettings } from '../../../worker/alerts/settings/contract'
import { plural } from '../../lib/format'
import { updateContactEmailsMutation } from '../api'
import { IconPlus } from '@tabler/icons-react'

type Props = { onNext: () => void; onBack: () => void }

export function AlertingStep({ onNext, onBack }: Props) {
  const { user, org } = useSession()
  const { data, error, refetch } = useQuery(orgSettingsQuery(org?.id ?? 0))
  const mayChange = user?.is_admin || user?.profile.manage_alert_email

  if (data && user && mayChange)
    return <ContactEmails settings={data} address={user.email} onNext={onNext} onBack={onBack} />
  return (
    <Step title="Who should be alerted?" onSubmit={onNext} onBack={onBack}>
      <FailedState query={{ error, refetch }} />
      {!data && !error && <Loader size="sm" />}
      {data && !mayChange && (
        <Text size="sm">
          Alerts {data.alerts_emails.length ? `go to ${data.alerts_emails.join(', ')}` : 'do not go to your address'}.
          An administrator of your organization can change that.
        </Text>
      )}
    </Step>
  )
}

// A field that was left empty counts as not given.
const isContact = (text: string) => text === '' || Email.safeParse(text).success
const Contacts = z.object({ emails: z.array(z.string().trim().refine(isContact, 'E-mail must be valid')) })

type ContactEmailsProps = {
  settings: z.output<typeof OrgSettings>
  address: string
  onNext: () => void
  onBack: () => void
}

function ContactEmails({ settings, address, onNext, onBack }: ContactEmailsProps) {
  const { org_id, alerts_emails, alerts_emails_max: max } = settings
  const form = useForm({
    initialValues: { emails: alerts_emails.length > 0 ? alerts_emails : [address] },
    validate: schemaResolver(Contacts, { sync: true }),
  })
  const saving = useMutation(updateContactEmailsMutation)

  const save = () => {
    if (form.validate().hasErrors) return
    const addresses = form.values.emails.map((email) => email.trim()).filter(Boolean)
    saving.mutate({ org_id, alerts_emails: addresses }, { onSuccess: onNext })
  }
  return (
    <Step title="Who should be alerted?" onSubmit={save} onBack={onBack} isSaving={saving.isPending}>
      <Text size="sm">Alerts go to these addresses, {plural(max, 'address', 'addresses')} at most.</Text>
      <ContactFields form={form} max={max} />
    </Step>
  )
}

type ContactFieldsProps = { form: UseFormReturnType<{ emails: string[] }>; max: number }

function ContactFields({ form, max }: ContactFieldsProps) {
  const { emails } = form.values
  return (
    <>
      <Stack gap="xs">
        {emails.map((_, index) => (
          <TextInput
            // oxlint-disable-next-line react/no-array-index-key
            key={index}
            label={`Contact e-mail ${index + 1}`}
            type="email"
            maxLength={254}
            rightSection={
              <CloseButton
                size="sm"
                aria-label={`Remove contact e-mail ${index + 1}`}
                onClick={() => form.removeListItem('emails', index)}
              />
            }
            {...form.getInputProps(`emails.${index}`)}
          />
        ))}
      </Stack>
      {emails.length < max && (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => form.insertListItem('emails', '')}
          >
            Add an address
          </Button>
        </div>
      )}
    </>
  )
}
