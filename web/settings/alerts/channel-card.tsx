import { Button, Group } from '@mantine/core'
import { useForm, type UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { findKind } from '../../../worker/domain/alerts/alert-rules'
import { keepSaved, pickChanged, useSaving } from '../../lib/saving'
import { useReadOnly } from '../../session/known-org'
import { WriteButton } from '../../session/write-button'
import { Card } from '../../ui/card'
import { ConfirmButton } from '../../ui/confirm-dialog'
import { CopyField } from '../../ui/copy-field'
import { Form, FormFoot } from '../../ui/form'
import { Timestamp } from '../../ui/timestamp'
import classes from './alerting.module.css'
import { removeChannelMutation, renewKeyMutation, testChannelMutation, updateChannelMutation } from './api'
import { BackTestButton } from './back-test'
import { ChannelFields, pickChannelFields, readChannelFields, titleChannel } from './channel-fields'
import { ChannelHealth, ChannelMark } from './health'
import { Limits, pickLimits } from './limits'
import { pickRules, RuleFields, thresholdRules } from './rule-fields'
import { Sample } from './sample'

export function ChannelCard({ channel }: { channel: ChannelRow }) {
  const title = titleChannel(channel)
  const kind = findKind(channel.channel)
  const [isOpen, rules] = useDisclosure(false)
  const form = useForm<ChannelValues>({ initialValues: pickFields(channel), validate: thresholdRules })
  const saving = useSaving(updateChannelMutation, (saved) => keepSaved(form, pickFields(saved)), form)
  const submit = form.onSubmit(
    (values) =>
      saving.save({
        channel: channel.channel,
        listed: form.getInitialValues().addresses,
        change: pickChanged(form, { ...readRules(values), ...readChannelFields(kind, values) }),
      }),
    () => rules.open(),
  )
  return (
    <Card title={title} aside={<ChannelMark channel={channel} />}>
      <Form onSubmit={submit}>
        <ChannelFields form={form} kind={kind} stored={channel} />
        <ChannelHealth channel={channel} />
        {channel.channel === 'webhook' && <WebhookKey channel={channel} made={saving.data?.key} />}
        <Rules form={form} channel={channel} isOpen={isOpen} onToggle={rules.toggle} />
        <FormFoot
          readOnly={useReadOnly()}
          isPending={saving.isPending}
          also={<ChannelActions channel={channel} title={title} />}
        />
      </Form>
    </Card>
  )
}

type RulesProps = { form: UseFormReturnType<ChannelValues>; channel: ChannelRow; isOpen: boolean; onToggle: () => void }

const Rules = ({ form, channel: { channel, is_configured }, isOpen, onToggle }: RulesProps) => (
  <>
    <Button variant="subtle" size="xs" onClick={onToggle} aria-expanded={isOpen} style={{ alignSelf: 'flex-start' }}>
      {isOpen ? 'Hide the rules' : 'Rules'}
    </Button>
    {isOpen && (
      <>
        <RuleFields form={form} />
        <Limits form={form} />
        <BackTestButton rules={() => readRules(form.values)} />
        <Sample kind={findKind(channel)} template={form.values.template} route={is_configured ? channel : undefined} />
      </>
    )}
  </>
)

function WebhookKey({ channel: { signing }, made }: { channel: ChannelRow; made: string | undefined }) {
  const { data: renewed, isPending, mutate } = useMutation(renewKeyMutation)
  const key = renewed?.key ?? made
  if (!signing) return <p className={classes.health}>When you save, a signing key is made and shown once.</p>
  return (
    <>
      {key && <CopyField label="Signing key, shown only now" value={key} />}
      {renewed && (
        <p className={classes.health}>
          <span>
            The former key is also valid until <Timestamp at={renewed.old_key_until} withTime />.
          </span>
        </p>
      )}
      <Group>
        <Button size="xs" loading={isPending} onClick={() => mutate('hmac')}>
          New secret (HMAC)
        </Button>
        <Button size="xs" loading={isPending} onClick={() => mutate('ed25519')}>
          New key pair (ed25519)
        </Button>
      </Group>
    </>
  )
}

function ChannelActions({ channel: { channel, is_configured }, title }: { channel: ChannelRow; title: string }) {
  const testing = useMutation(testChannelMutation)
  if (!is_configured) return null
  return (
    <>
      <ConfirmButton
        label="Remove"
        about={title}
        title={`Remove ${title}?`}
        action="Remove"
        change={removeChannelMutation}
        given={channel}
      >
        Its address and keys are deleted, and alerts that wait for it are not sent.
      </ConfirmButton>
      <WriteButton
        loading={testing.isPending}
        onClick={() => testing.mutate(channel)}
        aria-label={`Send a test to ${title}`}
      >
        Send a test
      </WriteButton>
    </>
  )
}

const pickFields = (row: ChannelRow) => ({ ...pickChannelFields(row), ...pickRules(row), ...pickLimits(row) })
type ChannelValues = ReturnType<typeof pickFields>

function readRules({ url: _url, apikey: _key, name: _name, addresses: _to, template: _text, ...rules }: ChannelValues) {
  return { ...rules, min_score: rules.min_score || 0 }
}
