import { IconBan, IconHourglass } from '@tabler/icons-react'
import type { VulnState } from '../../worker/domain/words/record'
import { Mark } from './mark'

export function StateMark({ state }: { state: VulnState }) {
  if (state === 'published') return null
  if (state === 'rejected')
    return (
      <Mark tone="quiet" icon={IconBan} title="Withdrawn: not a vulnerability">
        Rejected
      </Mark>
    )
  return (
    <Mark
      tone="warning"
      icon={IconHourglass}
      title="Another source mentions it, but its CVE record is not published or not loaded yet"
    >
      No record yet
    </Mark>
  )
}
