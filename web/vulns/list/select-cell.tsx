import { Checkbox } from '@mantine/core'
import type { VulnRow } from '../../../worker/vulns/contract'
import { useSelection } from './selection'

export function SelectCell({ vuln: { id, cveid } }: { vuln: VulnRow }) {
  const { ids, toggle } = useSelection()
  return (
    <Checkbox
      size="xs"
      aria-label={`Select ${cveid ?? `PH-${id}`}`}
      checked={ids.has(id)}
      onChange={() => toggle(id)}
    />
  )
}
