import { IconAlertTriangle } from '@tabler/icons-react'
import { Mark } from './mark'

export function KevMark() {
  return (
    <Mark tone="alarm" icon={IconAlertTriangle} title="Known to be exploited (CISA)">
      KEV
    </Mark>
  )
}
