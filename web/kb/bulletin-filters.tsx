import { Group, Pill } from '@mantine/core'
import type { BulletinQuery } from '../../worker/kb/contract'

const named = [
  ['vendor', 'Vendor'],
  ['severity', 'Severity'],
  ['cveid', 'CVE'],
] as const
type Field = (typeof named)[number][0]

type Props = {
  filters: Pick<BulletinQuery, Field>
  onChange: (patch: Partial<Record<Field, undefined>>) => void
}

/** What a link narrowed the list to, each to be taken away again. */
export function BulletinFilters({ filters, onChange }: Props) {
  const set = named.filter(([field]) => filters[field])
  if (set.length === 0) return null
  return (
    <Group gap={6}>
      {set.map(([field, label]) => (
        <Pill
          key={field}
          size="md"
          withRemoveButton
          removeButtonProps={{ 'aria-label': `Remove ${label} ${filters[field]}`, 'aria-hidden': false, tabIndex: 0 }}
          onRemove={() => onChange({ [field]: undefined })}
        >
          {label}: {filters[field]}
        </Pill>
      ))}
    </Group>
  )
}
