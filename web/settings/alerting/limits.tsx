import { MultiSelect, NumberInput } from '@mantine/core'
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
})
type LimitFields = ReturnType<typeof pickLimits>

const verdictWords = {
  confirmed: 'Affected: confirmed',
  likely: 'Affected: likely',
  unknown: 'Unknown',
}

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
    </div>
  )
}
