import { IconBan, IconHourglass } from '@tabler/icons-react'
import type { VulnState } from '../../worker/domain/words/record'
import { Mark } from './mark'

const awaited = 'Another source mentions it, but its CVE record is not published or not loaded yet'
const faces = {
  rejected: { tone: 'quiet', icon: IconBan, title: 'Withdrawn: not a vulnerability', children: 'Rejected' },
  awaiting: { tone: 'warning', icon: IconHourglass, title: awaited, children: 'No record yet' },
} as const

export const StateMark = ({ state }: { state: VulnState }) =>
  state === 'published' ? null : <Mark {...faces[state]} />
