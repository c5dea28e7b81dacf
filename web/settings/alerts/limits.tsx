import { MultiSelect, NativeSelect, NumberInput, Switch } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { verdicts, type ChannelRow } from '../../../worker/alerts/channels/contract'
import classes from './alerting.module.css'
import { ScopeFields } from './scope'
import { HourField, ZoneField } from './times'
import { useQuery } from '@tanstack/react-query'
import { channelsQuery } from './api'
import { titleChannel } from './channel-fields'

export const pickLimits = (row: ChannelRow) => ({
  min_score: row.min_score ?? 0,
  groups: row.groups,
  inventories: row.inventories.map(String),
  views: row.views.map(String),
  verdicts: row.verdicts,
  daily_max: row.daily_max,
  only_exploited: row.only_exploited,
  pace: row.pace,
  pace_hour: String(row.pace_hour),
  quiet_from: String(row.quiet_from),
  quiet_to: String(row.quiet_to),
  zone: row.zone || 'UTC',
  escalate_to: row.escalate_to,
  escalate_minutes: row.escalate_minutes,
})
type LimitFields = ReturnType<typeof pickLimits>

const verdictWords = { confirmed: 'Affected: confirmed', likely: 'Affected: likely', unknown: 'Unknown' }

const paceChoices = [
  { value: 'now', label: 'At once' },
  { value: 'hourly', label: 'Together, every hour' },
  { value: 'daily', label: 'Together, once a day' },
]

export function Limits<Values extends LimitFields>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <div className={classes.limits}>
      <NumberInput
        label="Minimum score"
        description="0 sends everything. Without a score, only what is exploited is sent. A provisional score holds back nothing that is known to be exploited."
        min={0}
        max={100}
        {...form.getInputProps('min_score')}
      />
      <NumberInput
        label="Most alerts per day"
        description="Further alerts are in the next report. News of CISA KEV, a first exploit or a threshold is always sent at once and not counted. 0 sends everything at once."
        min={0}
        max={1_000}
        {...form.getInputProps('daily_max')}
      />
      <ScopeFields form={form} />
      <MultiSelect
        label="Only when affected"
        description="By the versions that you run. Leave empty for everything that is not known to be safe."
        data={verdicts.map((value) => ({ value, label: verdictWords[value] }))}
        placeholder={form.values.verdicts.length ? undefined : 'All'}
        clearable
        {...form.getInputProps('verdicts')}
      />
      <Switch
        label="Only what is exploited"
        description="In CISA KEV, or with a known exploit."
        {...form.getInputProps('only_exploited', { type: 'checkbox' })}
      />
      <Times form={form} />
      <Escalation form={form} />
    </div>
  )
}

function Times<Values extends LimitFields>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <NativeSelect
        label="When"
        description="Urgent alerts are always sent at once."
        data={paceChoices}
        {...form.getInputProps('pace')}
      />
      {form.values.pace === 'daily' && (
        <HourField label="At the hour" description="Of the time zone below." {...form.getInputProps('pace_hour')} />
      )}
      <HourField
        label="Quiet from"
        description="Alerts that are not urgent wait for the end of these hours."
        {...form.getInputProps('quiet_from')}
      />
      <HourField
        label="Quiet until"
        description="The same hour twice: never quiet."
        {...form.getInputProps('quiet_to')}
      />
      <ZoneField description="Of these hours." {...form.getInputProps('zone')} />
    </>
  )
}

type EscalationValues = { escalate_to: string; escalate_minutes: number }

/** Target of urgent alerts when nobody takes care of them. */
function Escalation<Values extends EscalationValues>({ form }: { form: UseFormReturnType<Values> }) {
  const { data: rows = [] } = useQuery(channelsQuery)
  const ready = rows
    .filter(({ is_configured }) => is_configured)
    .map((row) => ({ value: row.channel, label: titleChannel(row) }))
  return (
    <>
      <NativeSelect
        label="If nobody acknowledges"
        description="Urgent alerts go on to this receiver, and at once when this one does not work. Alerts that its minimum score, groups and other limits leave out go past it."
        data={[{ value: '', label: 'Nothing more' }, ...ready]}
        {...form.getInputProps('escalate_to')}
      />
      {form.values.escalate_to !== '' && (
        <NumberInput
          label="After so many minutes"
          description="A link of the message or the button in Alerts acknowledges it."
          min={1}
          max={1_440}
          {...form.getInputProps('escalate_minutes')}
        />
      )}
    </>
  )
}
