import { Text } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { z } from 'zod'
import { Email } from '../../../worker/domain/password'
import type { OrgSettings } from '../../../worker/alerts/settings-contract'
import { plural } from '../../lib/format'
import { updateContactEmailsMutation } from '../api'
import { ContactFields } from './contact-fields'
import { Step } from './step'

// A field that was left empty counts as not given.
const isContact = (text: string) => text === '' || Email.safeParse(text).success
const Contacts = z.object({ emails: z.array(z.string().trim().refine(isContact, 'E-mail must be valid')) })

type Props = { settings: z.output<typeof OrgSettings>; own: string; onNext: () => void; onBack: () => void }

export function ContactEmails({ settings, own, onNext, onBack }: Props) {
  const { org_id, alerts_emails, alerts_emails_max: max } = settings
  const form = useForm({
    initialValues: { emails: alerts_emails.length > 0 ? alerts_emails : [own] },
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
