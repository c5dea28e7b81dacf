import { Button, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { channelNames, findKind } from '../../../worker/domain/alert-rules'
import type { ChannelName } from '../../../worker/domain/alert-rules'
import { templateFields } from '../../../worker/domain/json-template'
import { channelWords, nameRoute } from '../../alerts/deliveries'
import { formErrors } from '../../lib/form-rules'
import { Card } from '../../ui/card'
import { CopyField } from '../../ui/copy-field'
import { createRouteMutation, previewMutation } from './api'
import { ChannelCard } from './channel-card'
import type { ChannelWords } from './channel-card'

const fieldWords: Record<ChannelName, Omit<ChannelWords, 'title'>> = {
  email: { hint: '' },
  slack: { url: 'Incoming webhook', hint: 'https://hooks.slack.com/services/…' },
  teams: { url: 'Webhook of a workflow', hint: 'Made in Teams: Workflows' },
  thehive: { url: 'Address', hint: 'TheHive 5, for example https://thehive.example.com', apikey: 'API key' },
  misp: { url: 'Address', hint: 'For example https://misp.example.com', apikey: 'Automation key' },
  webhook: { url: 'Address', hint: 'Signed by the rules of Standard Webhooks 1.0' },
  mattermost: { url: 'Incoming webhook', hint: 'Of Mattermost, Rocket.Chat, or Discord (with /slack at its end)' },
  pagerduty: {
    url: 'Address',
    hint: 'https://events.pagerduty.com, or https://events.eu.pagerduty.com',
    apikey: 'Integration key (Events API v2)',
  },
  json: { url: 'Address', hint: 'Of any tool that takes JSON', apikey: 'Key, if it needs one (Authorization: Bearer)' },
}

/** Receivers beside the first of each kind, and of kinds that are no setting. */
export function FurtherRoutes({ rows }: { rows: ChannelRow[] }) {
  return (
    <>
      {rows.map((row) => {
        const route = nameRoute(row.channel)
        const words = { ...fieldWords[findKind(row.channel)], title: row.name ? `${row.name} (${route})` : route }
        return (
          <ChannelCard key={row.channel} channel={row} words={words}>
            {() => (
              <>
                {row.addresses.length > 0 && <div>To {row.addresses.join(', ')}</div>}
                {row.unconfirmed.length > 0 && <div>Not confirmed yet: {row.unconfirmed.join(', ')}</div>}
              </>
            )}
          </ChannelCard>
        )
      })}
      <AddRoute />
    </>
  )
}

const emptyRoute = { kind: 'slack' as ChannelName, name: '', url: '', apikey: '', addresses: '', template: '' }
const sampleTemplate = '{\n  "title": "{{title}}",\n  "severity": "{{severity}}",\n  "link": "{{link}}"\n}'

function AddRoute() {
  const [isOpen, adding] = useDisclosure(false)
  const saving = useMutation(createRouteMutation)
  const form = useForm({ initialValues: { ...emptyRoute, template: sampleTemplate } })
  const { kind } = form.values
  const words = fieldWords[kind]
  const submit = form.onSubmit(({ name, url, apikey, addresses, template }) =>
    saving.mutate(
      {
        kind,
        name,
        ...(words.url && { url }),
        ...(words.apikey && { apikey }),
        ...(kind === 'email' && { addresses: addresses.split(/[\s,;]+/).filter(Boolean) }),
        ...(kind === 'json' && { template }),
      },
      {
        onSuccess: () => {
          form.reset()
          if (kind !== 'webhook') adding.close()
        },
        onError: (error) => form.setErrors(formErrors(error)),
      },
    ),
  )
  if (!isOpen)
    return (
      <Button variant="default" onClick={adding.open} style={{ alignSelf: 'flex-start' }}>
        Add a receiver
      </Button>
    )
  return (
    <Card title="Add a receiver">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <RouteFields form={form} />
          <Preview kind={kind} template={form.values.template} />
          {saving.data?.key && <CopyField label="Signing key, shown only now" value={saving.data.key} />}
          <Button type="submit" loading={saving.isPending} style={{ alignSelf: 'flex-end' }}>
            Add
          </Button>
        </Stack>
      </form>
    </Card>
  )
}

function RouteFields({ form }: { form: UseFormReturnType<typeof emptyRoute> }) {
  const { kind } = form.values
  const words = fieldWords[kind]
  return (
    <>
      <NativeSelect
        label="Kind"
        data={channelNames.map((value) => ({ value, label: channelWords[value] }))}
        {...form.getInputProps('kind')}
      />
      <TextInput label="Name" description="For example: On call" maxLength={60} {...form.getInputProps('name')} />
      {words.url && <TextInput label={words.url} description={words.hint} {...form.getInputProps('url')} />}
      {words.apikey && <TextInput label={words.apikey} {...form.getInputProps('apikey')} />}
      {kind === 'email' && (
        <Textarea
          label="Addresses"
          description="Who is no member is asked first."
          {...form.getInputProps('addresses')}
        />
      )}
      {kind === 'json' && (
        <Textarea
          label="Template"
          description={`JSON with named fields: ${templateFields.join(', ')}`}
          autosize
          minRows={4}
          {...form.getInputProps('template')}
        />
      )}
    </>
  )
}

function Preview({ kind, template }: { kind: ChannelName; template: string }) {
  const preview = useMutation(previewMutation)
  return (
    <>
      <Button
        variant="subtle"
        size="xs"
        loading={preview.isPending}
        onClick={() => preview.mutate(kind === 'json' ? { kind, template } : { kind })}
        style={{ alignSelf: 'flex-start' }}
      >
        Show what would be sent
      </Button>
      {preview.data && (
        <Textarea
          label={preview.data.subject ?? `Of ${preview.data.vuln.name}`}
          value={preview.data.text}
          readOnly
          autosize
          minRows={4}
          maxRows={14}
        />
      )}
    </>
  )
}
