import { NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { FailedLine } from '../ui/failed-line'
import { groupsQuery } from './api'

export function GroupSelect({ group, onChange }: { group: string | undefined; onChange: (group: string) => void }) {
  const query = useQuery(groupsQuery)
  const { data = [] } = query
  if (query.error)
    return (
      <Text size="sm">
        <FailedLine text="The groups could not be loaded." query={query} />
      </Text>
    )
  const labels = group && !data.includes(group) ? [group, ...data] : data
  if (!labels.length) return null
  return (
    <NativeSelect
      size="xs"
      aria-label="Group"
      value={group ?? ''}
      data={[{ value: '', label: 'All groups' }, ...labels]}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
