import { Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { findKind } from '../../../worker/domain/alerts/alert-rules'
import type { RouteName } from '../../../worker/domain/alerts/alert-rules'
import { Card } from '../../ui/card'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { keepSaved, pickChanged, useSaving } from '../../lib/saving'
import { FormFoot } from '../../ui/form-dialog'
import { removeChannelMutation, testChannelMutation, updateChannelMutation } from './api'
import { BackTestButton } from './back-test'
import { ChannelHealth, ChannelMark } from './health'
import { Limits, pickLimits } from './limits'
import { RouteFields } from './route-fields'
import { Sample } from './sample'
import { pickRules, RuleFields, thresholdRules } from './rule-fields'
import { useReadOnly } from '../../session/known-org'
import { WriteButton } from '../../session/write-button'

export type ChannelWords = { title: string; url?: string; hint: string; apikey?: string }

/** The name that its organization gave it, and its kind. */
export const titleRoute = ({ name }: ChannelRow, title: string) => (name ? `${name} (${title})` : title)

type Props = {
  channel: ChannelRow
  words: ChannelWords
  /** Fields of this channel alone; `key` is the new key that the last saving answered. */
  children?: ((key: string | undefined, form: UseFormReturnType<Fields>) => ReactNode) | undefined
}

export function ChannelCard({ channel, words, children }: Props) {
  const title = titleRoute(channel, words.title)
  const [isOpen, rules] = useDisclosure(false)
  const form = useForm<ReturnType<typeof pickFields>>({
    initialValues: pickFields(channel),
    validate: thresholdRules,
  })
  const saving = useSaving(updateChannelMutation, (saved) => keepSaved(form, pickFields(saved)), form)
  const submit = form.onSubmit(
    (values) =>
      saving.save({
        channel: channel.channel,
        listed: form.getInitialValues().addresses,
        change: pickChanged(form, readChange(values, channel.channel, words)),
      }),
    () => rules.open(),
  )
  return (
    <Card title={title} aside={<ChannelMark channel={channel} />}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <RouteFields form={form} channel={channel} />
          {words.url && (
            <SecretField label={words.url} hint={words.hint} stored={channel.url} {...form.getInputProps('url')} />
          )}
          {words.apikey && (
            <SecretField label={words.apikey} hint="" stored={channel.apikey} {...form.getInputProps('apikey')} />
          )}
          <ChannelHealth channel={channel} />
          {children?.(saving.data?.key, form)}
          <Rules form={form} channel={channel} isOpen={isOpen} onToggle={rules.toggle} />
          <FormFoot
            readOnly={useReadOnly()}
            isPending={saving.isPending}
            also={<ChannelActions channel={channel} title={title} />}
          />
        </Stack>
      </form>
    </Card>
  )
}

type RulesProps = { form: UseFormReturnType<Fields>; channel: ChannelRow; isOpen: boolean; onToggle: () => void }

const Rules = ({ form, channel, isOpen, onToggle }: RulesProps) => (
  <>
    <Button variant="subtle" size="xs" onClick={onToggle} aria-expanded={isOpen} style={{ alignSelf: 'flex-start' }}>
      {isOpen ? 'Hide the rules' : 'Rules'}
    </Button>
    {isOpen && (
      <>
        <RuleFields form={form} />
        <Limits form={form} />
        <BackTestButton rules={() => readRules(form.values)} />
        <Sample
          kind={findKind(channel.channel)}
          template={form.values.template}
          route={channel.is_configured ? channel.channel : undefined}
        />
      </>
    )}
  </>
)

type SecretProps = { label: string; hint: string; stored: string; value?: string; onChange?: unknown }

const SecretField = ({ label, hint, stored, ...input }: SecretProps) => (
  <TextInput
    label={label}
    description={stored ? `Stored: ${stored}. Leave it unchanged to keep it.` : hint}
    autoComplete="off"
    spellCheck={false}
    maxLength={2_000}
    {...(input as object)}
  />
)

function ChannelActions({ channel: { channel, is_configured }, title }: { channel: ChannelRow; title: string }) {
  const testing = useMutation(testChannelMutation)
  const [isAsking, asking] = useDisclosure(false)
  if (!is_configured) return null
  return (
    <>
      <Button variant="default" onClick={asking.open} aria-label={`Remove ${title}`}>
        Remove
      </Button>
      <WriteButton
        variant="default"
        loading={testing.isPending}
        onClick={() => testing.mutate(channel)}
        aria-label={`Send a test to ${title}`}
      >
        Send a test
      </WriteButton>
      <ConfirmDialog
        title={`Remove ${title}?`}
        action="Remove"
        isOpen={isAsking}
        change={removeChannelMutation}
        given={channel}
        onClose={asking.close}
      >
        Its address and keys are deleted, and alerts that wait for it are not sent.
      </ConfirmDialog>
    </>
  )
}

const pickFields = (row: ChannelRow) => ({
  name: row.name,
  addresses: row.addresses,
  template: row.template,
  url: row.url,
  apikey: row.apikey,
  ...pickRules(row),
  ...pickLimits(row),
})

type Fields = ReturnType<typeof pickFields>

/** Only what a receiver of its kind has. */
function readChange(fields: Fields, route: RouteName, words: ChannelWords) {
  const { url, apikey, name, addresses, template } = fields
  const kind = findKind(route)
  return {
    ...readRules(fields),
    name,
    ...(words.url && { url, apikey }),
    ...(kind === 'email' && { addresses }),
    ...(kind === 'json' && { template }),
  }
}

function readRules({ url: _url, apikey: _key, name: _name, addresses: _to, template: _template, ...rules }: Fields) {
  return { ...rules, min_score: rules.min_score || 0 }
}
