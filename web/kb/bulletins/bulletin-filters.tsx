import { Button, Group } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { BulletinQuery } from '../../../worker/kb/bulletins/contract'

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

export function BulletinFilters({ filters, onChange }: Props) {
  const set = named.filter(([field]) => filters[field])
  if (set.length === 0) return null
  return (
    <Group gap={6}>
      {set.map(([field, label]) => (
        <Button
          key={field}
          variant="light"
          size="compact-sm"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`${label} ${filters[field]}: remove this filter`}
          onClick={() => onChange({ [field]: undefined })}
        >
          {label} {filters[field]}
        </Button>
      ))}
    </Group>
  )
}
