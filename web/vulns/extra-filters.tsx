import { Button, Group } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { VulnQuery, VulnQueryInput } from '../../worker/vulns/contract'
import { quickFilterOf } from './quick-filter'

type Props = { filters: VulnQuery; onChange: (patch: VulnQueryInput) => void }

/** Filters that a link brought along and no control of the screen shows. */
export function ExtraFilters({ filters, onChange }: Props) {
  const active = describeExtras(filters)
  if (active.length === 0) return null
  return (
    <Group gap={6}>
      {active.map(([label, off]) => (
        <Button
          key={label}
          variant="light"
          size="compact-sm"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`${label}: remove this filter`}
          onClick={() => onChange(off)}
        >
          {label}
        </Button>
      ))}
    </Group>
  )
}

function describeExtras(filters: VulnQuery) {
  const { updated_at__gte, kev, is_exploitable, vendor, product } = filters
  const extras: [string, VulnQueryInput][] = []
  if (!quickFilterOf(filters)) extras.push([`Since ${updated_at__gte}`, { updated_at__gte: undefined }])
  if (kev !== undefined) extras.push([kev ? 'In KEV' : 'Not in KEV', { kev: undefined }])
  if (is_exploitable !== undefined)
    extras.push([is_exploitable ? 'Exploitable' : 'Not exploitable', { is_exploitable: undefined }])
  if (vendor) extras.push([`Vendor ${vendor}`, { vendor: undefined }])
  if (product) extras.push([`Product ${product}`, { product: undefined }])
  return extras
}
