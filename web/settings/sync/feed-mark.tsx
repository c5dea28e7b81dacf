import { IconAlertTriangle, IconCircleCheck, IconClock, IconHourglass, IconLoader } from '@tabler/icons-react'
import type { FeedInfo } from '../../../worker/feeds/contract'
import { Mark } from '../../ui/mark'

export function FeedMark({ feed: { state, is_late, last_success } }: { feed: FeedInfo }) {
  if (state === 'failed')
    return (
      <Mark tone="alarm" icon={<IconAlertTriangle size={14} aria-hidden />}>
        {is_late ? 'Failed, late' : 'Failed'}
      </Mark>
    )
  if (state === 'running')
    return (
      <Mark tone="calm" icon={<IconLoader size={14} aria-hidden />}>
        Running
      </Mark>
    )
  if (is_late)
    return (
      <Mark tone="warning" icon={<IconClock size={14} aria-hidden />} title="A run that should have happened did not">
        Late
      </Mark>
    )
  if (!last_success)
    return (
      <Mark tone="quiet" icon={<IconHourglass size={14} aria-hidden />}>
        Not run yet
      </Mark>
    )
  return (
    <Mark tone="calm" icon={<IconCircleCheck size={14} aria-hidden />}>
      Up to date
    </Mark>
  )
}
