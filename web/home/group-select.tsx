import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { groupsQuery } from '../watchlist/api'

export function GroupSelect({ group, onChange }: { group: string | undefined; onChange: (group: string) => void }) {
  const { data = [] } = useQuery(groupsQuery)
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
