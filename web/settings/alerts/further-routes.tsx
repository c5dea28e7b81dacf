import { NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { Fragment } from 'react'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { channelNames, findKind } from '../../../worker/domain/alerts/alert-rules'
import type { ChannelName } from '../../../worker/domain/alerts/alert-rules'
import { channelWords, nameRoute } from '../../alerts/deliveries'
import { Card } from '../../ui/card'
import { CopyField } from '../../ui/copy-field'
import { useSaving } from '../../lib/saving'
import { FormFoot } from '../../ui/form-dialog'
import { createRouteMutation } from './api'
import { ChannelCard } from './channel-card'
import type { ChannelWords } from './channel-card'
import { RotaCard } from './rota-card'
import { RouteFields, TemplateInput } from './route-fields'
import { Sample } from './sample'
import { WriteButton } from '../../session/write-button'

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
  jira: {
    url: 'Address of the project',
    hint: 'For example https://acme.atlassian.net/browse/SEC; with ?type=Bug at its end for issues of another type than Task',
    apikey: 'Personal access token; at Jira Cloud mail address:API token',
  },
  json: { url: 'Address', hint: 'Of any tool that takes JSON', apikey: 'Key, if it needs one (Authorization: Bearer)' },
}

/** Receivers beside the first of each kind, and of kinds that are no setting. */
export const FurtherRoutes = ({ rows }: { rows: ChannelRow[] }) => (
  <>
    {rows.map((row) => (
      <Fragment key={row.channel}>
        <ChannelCard channel={row} words={{ ...fieldWords[findKind(row.channel)], title: nameRoute(row.channel) }}>
          {findKind(row.channel) === 'json' ? (_key, form) => <TemplateInput form={form} /> : undefined}
        </ChannelCard>
        {findKind(row.channel) === 'email' && <RotaCard channel={row} />}
      </Fragment>
    ))}
    <AddRoute />
  </>
)

const emptyRoute = {
  kind: 'slack' as ChannelName,
  name: '',
  url: '',
  apikey: '',
  addresses: [] as string[],
  template: '',
}
const sampleTemplate = '{\n  "title": "{{title}}",\n  "severity": "{{severity}}",\n  "link": "{{link}}"\n}'

function AddRoute() {
  const [isOpen, adding] = useDisclosure(false)
  const form = useForm({ initialValues: { ...emptyRoute, template: sampleTemplate } })
  const { kind } = form.values
  const words = fieldWords[kind]
  const close = () => {
    form.reset()
    if (kind !== 'webhook') adding.close()
  }
  const saving = useSaving(createRouteMutation, close, form)
  const submit = form.onSubmit(({ name, url, apikey, addresses, template }) =>
    saving.save({
      kind,
      name,
      ...(words.url && { url }),
      ...(words.apikey && { apikey }),
      ...(kind === 'email' && { addresses }),
      ...(kind === 'json' && { template }),
    }),
  )
  if (!isOpen)
    return (
      <WriteButton variant="default" onClick={adding.open} style={{ alignSelf: 'flex-start' }}>
        Add a receiver
      </WriteButton>
    )
  return (
    <Card title="Add a receiver">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <NativeSelect
            label="Kind"
            autoFocus
            description="Once it is added, its rules say what it tells of, and when: at first of all new and changed vulnerabilities."
            data={channelNames.map((value) => ({ value, label: channelWords[value] }))}
            {...form.getInputProps('kind')}
          />
          <RouteFields form={form} channel={{ channel: kind, unconfirmed: [] }} />
          {words.url && <TextInput label={words.url} description={words.hint} {...form.getInputProps('url')} />}
          {words.apikey && <TextInput label={words.apikey} {...form.getInputProps('apikey')} />}
          {kind === 'json' ? <JsonFields form={form} /> : <Sample kind={kind} />}
          {saving.data?.key && <CopyField label="Signing key, shown only now" value={saving.data.key} />}
          <FormFoot action="Add" isPending={saving.isPending} onClose={adding.close} />
        </Stack>
      </form>
    </Card>
  )
}

const JsonFields = <Form extends { name: string; addresses: string[]; template: string }>({
  form,
}: {
  form: UseFormReturnType<Form>
}) => (
  <>
    <TemplateInput form={form} />
    <Sample kind="json" template={form.values.template} />
  </>
)
