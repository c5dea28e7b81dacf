import { IconAlertTriangle, IconCircleCheck, IconClock, IconHourglass, IconLoader } from '@tabler/icons-react'
import type { FeedInfo } from '../../../worker/feeds/contract'
import { countMissing } from '../../layout/feed-state'
import { plural } from '../../lib/format'
import { Mark } from '../../ui/mark'

export function FeedMark({ feed }: { feed: FeedInfo }) {
  const { state, is_late, last_success } = feed
  const missing = countMissing(feed)
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
      <Mark tone="warning" icon={<IconClock size={14} aria-hidden />} title="A planned run did not take place">
        Late
      </Mark>
    )
  if (!last_success)
    return (
      <Mark tone="quiet" icon={<IconHourglass size={14} aria-hidden />}>
        Not run yet
      </Mark>
    )
  if (missing)
    return (
      <Mark
        tone="warning"
        icon={<IconAlertTriangle size={14} aria-hidden />}
        title="The source has these records, and Earshot does not"
      >
        {plural(missing, 'record')} missing
      </Mark>
    )
  return (
    <Mark tone="calm" icon={<IconCircleCheck size={14} aria-hidden />}>
      Up to date
    </Mark>
  )
}
