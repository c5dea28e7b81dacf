import { IconAlertTriangle, IconHelp } from '@tabler/icons-react'
import type { RunVerdict } from '../../worker/domain/verdict'
import { Mark } from './mark'

export function RunVerdictMark({ verdict }: { verdict: RunVerdict | null }) {
  if (verdict === null || verdict === 'not_affected') return null
  if (verdict === 'unknown')
    return (
      <Mark
        tone="quiet"
        icon={<IconHelp size={12} aria-hidden />}
        title="It is not known whether the version that you run is affected"
      >
        Your version: unknown
      </Mark>
    )
  return (
    <Mark tone="alarm" icon={<IconAlertTriangle size={12} aria-hidden />} title="A version that you run is affected">
      {verdict === 'confirmed' ? 'Your version: affected' : 'Your version: likely affected'}
    </Mark>
  )
}
