import { IconAlertTriangle, IconHelp } from '@tabler/icons-react'
import type { RunVerdict } from '../../worker/domain/versions/verdict'
import { Mark } from './mark'

const words = {
  confirmed: { long: 'Your version: affected', short: 'Affects you' },
  likely: { long: 'Your version: likely affected', short: 'Likely affects you' },
  unknown: { long: 'Your version: unknown', short: 'May affect you' },
}

/** `isShort` where the mark shares its line with others. */
type Props = { verdict: RunVerdict | null; isShort?: boolean }

export function RunVerdictMark({ verdict, isShort = false }: Props) {
  if (verdict === null || verdict === 'not_affected') return null
  const text = words[verdict][isShort ? 'short' : 'long']
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
