import { NativeSelect, NumberInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { nameRoute } from '../../alerts/deliveries'
import { channelsQuery } from './api'

type EscalationValues = { escalate_to: string; escalate_minutes: number }

/** Where urgent alerts go on when nobody takes care of them. */
export function Escalation<Values extends EscalationValues>({ form }: { form: UseFormReturnType<Values> }) {
  const { data: rows = [] } = useQuery(channelsQuery)
  const ready = rows
    .filter(({ is_configured }) => is_configured)
    .map(({ channel, name }) => ({
      value: channel,
      label: name ? `${name} (${nameRoute(channel)})` : nameRoute(channel),
    }))
  return (
    <>
      <NativeSelect
        label="If nobody acknowledges"
        description="Urgent alerts go on to this receiver, and at once when this one does not work. What its minimum score, groups and other limits leave out goes past it."
        data={[{ value: '', label: 'Nothing more' }, ...ready]}
        {...form.getInputProps('escalate_to')}
      />
      {form.values.escalate_to !== '' && (
        <NumberInput
          label="After so many minutes"
          description="Whoever follows a link of the message or the button in Alerts has acknowledged it."
          min={1}
          max={1_440}
          {...form.getInputProps('escalate_minutes')}
        />
      )}
    </>
  )
}
