import { IconBan, IconHourglass } from '@tabler/icons-react'
import type { VulnState } from '../../worker/domain/record'
import { Mark } from './mark'

/** Says when a vulnerability is not an ordinary published one. */
export function StateMark({ state }: { state: VulnState }) {
  if (state === 'published') return null
  if (state === 'rejected')
    return (
      <Mark tone="quiet" icon={<IconBan size={12} aria-hidden />} title="Withdrawn: not a vulnerability">
        Rejected
      </Mark>
    )
  return (
    <Mark tone="warning" icon={<IconHourglass size={12} aria-hidden />}>
      Awaiting its record
    </Mark>
  )
}
