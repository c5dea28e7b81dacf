import { IconAlertTriangle } from '@tabler/icons-react'
import { Mark } from './mark'

/** KEV is CISA's catalogue of known exploited vulnerabilities. */
export function KevMark() {
  return (
    <Mark tone="alarm" icon={<IconAlertTriangle size={12} aria-hidden />} title="Known to be exploited (CISA)">
      KEV
    </Mark>
  )
}
