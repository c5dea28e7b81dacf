import { IconAlertTriangle, IconHelp } from '@tabler/icons-react'
import type { RunVerdict } from '../../worker/domain/versions/verdict'
import { Mark } from './mark'

const affected = { tone: 'alarm', icon: IconAlertTriangle, title: 'A version that you run is affected' } as const
const open = 'It is not known whether the version that you run is affected'
const faces = {
  confirmed: { ...affected, children: 'Affects you' },
  likely: { ...affected, children: 'Likely affects you' },
  unknown: { tone: 'quiet', icon: IconHelp, title: open, children: 'May affect you' },
} as const

export const RunVerdictMark = ({ verdict }: { verdict: RunVerdict | null }) =>
  verdict === null || verdict === 'not_affected' ? null : <Mark {...faces[verdict]} />
