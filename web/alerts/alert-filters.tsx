import { Group, Text, TextInput } from '@mantine/core'
import type * as z from 'zod'
import type { AlertQuery } from '../../worker/alerts/contract'
import { ruleNames } from '../../worker/domain/alerts/alert-rules'
import { formatDate } from '../lib/format'
import { endOfDay, startOfDay } from '../lib/zone'
import { ValueFilter } from '../ui/value-filter'
import { SearchField } from '../ui/search-field'
import { statusWords } from './alert-status'
import { channelWords } from './deliveries'

type Patch = Partial<z.input<typeof AlertQuery>>
type Props = { filters: AlertQuery; onChange: (patch: Patch, how?: { replace: boolean }) => void }

export function AlertFilters(props: Props) {
  const { filters, onChange } = props
  const { search, from, to } = filters
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="xs" role="group" aria-label="Filters">
        <ValueFilter name="status" label="Status" words={statusWords} {...props} />
        <ValueFilter name="rule" label="Rule" words={ruleNames} {...props} />
        <ValueFilter name="channel" label="Channel" words={channelWords} {...props} />
        <Day label="From" value={from} onChange={(day) => onChange({ from: startOfDay(day) })} />
        <Day label="To" value={to} onChange={(day) => onChange({ to: endOfDay(day) })} />
      </Group>
      <SearchField
        label="CVE id, PH id or words"
        value={search}
        onChange={(text) => onChange({ search: text, vuln_id: undefined }, { replace: true })}
      />
    </Group>
  )
}

type DayProps = { label: string; value: string | undefined; onChange: (day: string) => void }

const Day = ({ label, value, onChange }: DayProps) => (
  <TextInput
    type="date"
    size="xs"
    aria-label={label}
    leftSection={
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    }
    leftSectionWidth={46}
    leftSectionProps={{ 'aria-hidden': true }}
    value={value ? formatDate(value) : ''}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)
