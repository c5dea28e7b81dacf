import { TagsInput, Textarea, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { findKind } from '../../../worker/domain/alerts/alert-rules'
import { templateFields } from '../../../worker/domain/alerts/json-template'
import classes from './alerting.module.css'

type Values = { name: string; addresses: string[]; template: string }
type Props<Form> = { form: UseFormReturnType<Form>; channel: Pick<ChannelRow, 'channel' | 'unconfirmed'> }

/** Fields of some kinds of receivers beside an address and a key. */
export function RouteFields<Form extends Values>({ form, channel: { channel, unconfirmed } }: Props<Form>) {
  const kind = findKind(channel)
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
        <TagsInput
          label="Addresses"
          description="Enter or a comma adds one. An address of no member is asked first."
          inputMode="email"
          autoComplete="off"
          splitChars={[',', ';', ' ']}
          acceptValueOnBlur
          {...form.getInputProps('addresses')}
        />
      )}
      {unconfirmed.length > 0 && (
        <p className={classes.health} role="note">
          Not confirmed yet: {unconfirmed.join(', ')}. No alerts go there before a link is opened, which is sent when an
          address is entered: remove it and enter it again for a new one.
        </p>
      )}
    </>
  )
}

/** Of a JSON webhook. */
export const TemplateInput = <Form extends Values>({ form }: { form: UseFormReturnType<Form> }) => (
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
)
