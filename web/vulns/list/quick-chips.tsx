import { Chip, Group } from '@mantine/core'
import type { VulnQuery, VulnQueryInput } from '../../../worker/vulns/contract'
import { chooseQuickFilter, findQuickFilter } from './quick-filter'
import type { QuickFilter } from './quick-filter'

type Props = { filters: VulnQuery; onChange: (patch: VulnQueryInput) => void }

const labels: [QuickFilter, string][] = [
  ['all', 'All'],
  ['day', 'Last 24h'],
  ['week', 'Last Week'],
]

export function QuickChips({ filters, onChange }: Props) {
  const current = findQuickFilter(filters)
  const isMonitored = filters.monitored === true
  return (
    <Group gap={6} role="group" aria-label="Quick filters">
      {labels.map(([filter, label]) => (
        <Chip
          key={filter}
          variant="outline"
          size="xs"
          checked={filter === current}
          onChange={() => onChange(chooseQuickFilter(current, filter))}
        >
          {label}
        </Chip>
      ))}
      <Chip
        variant="outline"
        size="xs"
        checked={isMonitored}
        onChange={() => onChange({ monitored: isMonitored ? undefined : true, page: 1 })}
      >
        Monitored
      </Chip>
    </Group>
  )
}
