import { TagsInput, Textarea, TextInput, type TagsInputProps } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import type { ChannelName } from '../../../worker/domain/alerts/alert-rules'
import { templateFields } from '../../../worker/domain/alerts/json-template'
import { nameRoute } from '../../alerts/deliveries'
import classes from './alerting.module.css'

/** The labels of the secrets of a receiver, which has the fields that are named here. */
const secrets: Record<ChannelName, { url?: string; hint?: string; apikey?: string }> = {
  email: {},
  slack: { url: 'Incoming webhook', hint: 'https://hooks.slack.com/services/…' },
  teams: { url: 'Webhook of a workflow', hint: 'Made in Teams: Workflows, "when a webhook request is received"' },
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

/** The name that its organization gave it, and its kind. */
export function titleChannel({ channel, name }: Pick<ChannelRow, 'channel' | 'name'>) {
  const kind = nameRoute(channel)
  return name ? `${name} (${kind})` : kind
}

type Values = { name: string; addresses: string[]; template: string; url: string; apikey: string }

export const pickChannelFields = ({ name, addresses, template, url, apikey }: Values) => ({
  name,
  addresses,
  template,
  url,
  apikey,
})

/** Only what a receiver of its kind has. */
export const readChannelFields = (kind: ChannelName, { name, addresses, template, url, apikey }: Values) => ({
  name,
  ...(secrets[kind].url && { url }),
  ...(secrets[kind].apikey && { apikey }),
  ...(kind === 'email' && { addresses }),
  ...(kind === 'json' && { template }),
})

type Stored = Pick<ChannelRow, 'unconfirmed' | 'url' | 'apikey'>
type Props<Form> = { form: UseFormReturnType<Form>; kind: ChannelName; stored?: Stored }

export function ChannelFields<Form extends Values>({ form, kind, stored }: Props<Form>) {
  const { url, hint, apikey } = secrets[kind]
  return (
    <>
      <TextInput
        label="Name"
        description="As your team calls it, for example On call."
        maxLength={60}
        autoComplete="off"
        {...form.getInputProps('name')}
      />
      {kind === 'email' && (
        <AddressInput
          label="Addresses"
          description="Enter or a comma adds one. An address of no member is asked first."
          {...form.getInputProps('addresses')}
        />
      )}
      <Unconfirmed addresses={stored?.unconfirmed} />
      {url && <SecretField label={url} hint={hint} stored={stored?.url} {...form.getInputProps('url')} />}
      {apikey && <SecretField label={apikey} stored={stored?.apikey} {...form.getInputProps('apikey')} />}
      {kind === 'json' && (
        <Textarea
          label="Template"
          description={`JSON. A text may name fields as {{title}}: ${templateFields.join(', ')}.`}
          autosize
          minRows={4}
          maxRows={20}
          spellCheck={false}
          classNames={{ input: classes.template }}
          {...form.getInputProps('template')}
        />
      )}
    </>
  )
}

export const AddressInput = (input: TagsInputProps) => (
  <TagsInput inputMode="email" autoComplete="off" splitChars={[',', ';', ' ']} acceptValueOnBlur {...input} />
)

export const Unconfirmed = ({ addresses = [] }: { addresses?: string[] | undefined }) =>
  addresses.length > 0 && (
    <p className={classes.health} role="note">
      Not confirmed yet: {addresses.join(', ')}. No alerts go there before a link is opened, which is sent when an
      address is entered: remove it and enter it again for a new one.
    </p>
  )

type SecretProps = { label: string; hint?: string | undefined; stored: string | undefined }

const SecretField = ({ label, hint, stored, ...input }: SecretProps) => (
  <TextInput
    label={label}
    description={stored ? `Stored: ${stored}. Leave it unchanged to keep it.` : hint}
    autoComplete="off"
    spellCheck={false}
    maxLength={2_000}
    {...input}
  />
)
