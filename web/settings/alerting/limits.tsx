import { MultiSelect, NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { verdicts } from '../../../worker/alerts/channels/contract'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { FailedLine } from '../../ui/failed-line'
import { groupsQuery } from '../../watchlist/api'
import classes from './alerting.module.css'

export const pickLimits = (row: ChannelRow) => ({
  min_score: row.min_score ?? 0,
  groups: row.groups,
  verdicts: row.verdicts,
  daily_max: row.daily_max,
  only_exploited: row.only_exploited,
  pace: row.pace,
  pace_hour: row.pace_hour,
  quiet_from: row.quiet_from,
  quiet_to: row.quiet_to,
  zone: row.zone,
})
type LimitFields = ReturnType<typeof pickLimits>

const verdictWords = {
  confirmed: 'Affected: confirmed',
  likely: 'Affected: likely',
  unknown: 'Unknown',
}

const paceChoices = [
  { value: 'now', label: 'At once' },
  { value: 'hourly', label: 'Together, every hour' },
  { value: 'daily', label: 'Together, once a day' },
]

const Hour = ({ label, description, ...input }: { label: string; description?: string }) => (
  <NumberInput label={label} description={description} min={0} max={23} {...input} />
)

export function Limits<Values extends LimitFields>({ form }: { form: UseFormReturnType<Values> }) {
  const query = useQuery(groupsQuery)
  const { data: labels = [] } = query
  // A group without items stays in the list, so that people can remove it.
  const choices = [...new Set([...labels, ...form.values.groups])]
  return (
    <div className={classes.limits}>
      <NumberInput
        label="Minimum score"
        description="0 sends everything. Without a score, only what is exploited is sent."
        min={0}
        max={100}
        {...form.getInputProps('min_score')}
      />
      <NumberInput
        label="Most alerts per day"
        description="Further alerts are in the next report. What is in CISA KEV, a first exploit or a threshold is always sent at once and not counted. 0 sends everything at once."
        min={0}
        max={1_000}
        {...form.getInputProps('daily_max')}
      />
      <MultiSelect
        label="Only these groups"
        description="Groups of monitored items. Leave empty for everything you monitor."
        data={choices}
        disabled={!choices.length}
        placeholder={
          form.values.groups.length ? undefined : query.data?.length === 0 ? 'There are no groups yet' : 'All'
        }
        clearable
        searchable
        {...form.getInputProps('groups')}
      />
      <FailedLine text="The groups could not be loaded." query={query} />
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
    </div>
  )
}

function Times<Values extends LimitFields>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <NativeSelect
        label="When"
        description="What is urgent is always sent at once."
        data={paceChoices}
        {...form.getInputProps('pace')}
      />
      {form.values.pace === 'daily' && <Hour label="At the hour" {...form.getInputProps('pace_hour')} />}
      <Hour label="Quiet from" {...form.getInputProps('quiet_from')} />
      <Hour
        label="Quiet until"
        description="The same hour twice: never quiet. What is urgent is sent nevertheless."
        {...form.getInputProps('quiet_to')}
      />
      <TextInput
        label="Time zone"
        description="Of these hours, for example Europe/Berlin. Empty: UTC."
        {...form.getInputProps('zone')}
      />
    </>
  )
}
