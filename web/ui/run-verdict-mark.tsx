import { IconAlertTriangle, IconHelp } from '@tabler/icons-react'
import type { RunVerdict } from '../../worker/domain/versions/verdict'
import { Mark } from './mark'

const words = {
  confirmed: 'Affects you',
  likely: 'Likely affects you',
  unknown: 'May affect you',
}

export function RunVerdictMark({ verdict }: { verdict: RunVerdict | null }) {
  if (verdict === null || verdict === 'not_affected') return null
  const text = words[verdict]
  if (verdict === 'unknown')
    return (
      <Mark
        tone="quiet"
        icon={<IconHelp size={12} aria-hidden />}
        title="It is not known whether the version that you run is affected"
      >
        {text}
      </Mark>
    )
  return (
    <Mark tone="alarm" icon={<IconAlertTriangle size={12} aria-hidden />} title="A version that you run is affected">
      {text}
    </Mark>
  )
}
