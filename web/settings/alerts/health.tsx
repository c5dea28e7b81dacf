import { IconAlertTriangle, IconCheck, IconPlugOff } from '@tabler/icons-react'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from './alerting.module.css'

type Props = { channel: ChannelRow }

const marks = {
  off: { tone: 'alarm', icon: IconPlugOff, children: 'Switched off' },
  failing: { tone: 'warning', icon: IconAlertTriangle, children: 'Failing' },
  unset: { tone: 'quiet', children: 'Not set up' },
  working: { tone: 'calm', icon: IconCheck, children: 'Working' },
  unused: { tone: 'quiet', children: 'Nothing sent yet' },
} as const

export const ChannelMark = ({ channel }: Props) => <Mark {...marks[findState(channel)]} />

function findState({ is_configured, disabled_at, failing_since, last_success_at }: ChannelRow) {
  if (disabled_at) return 'off'
  if (!is_configured) return 'unset'
  if (failing_since) return 'failing'
  return last_success_at ? 'working' : 'unused'
}

export function ChannelHealth({ channel }: Props) {
  const { last_success_at, failing_since, last_error, disabled_at } = channel
  if (!last_success_at && !failing_since) return null
  return (
    <div className={classes.health} role="status">
      {last_success_at && (
        <span>
          Last success <Timestamp at={last_success_at} isRelative />
        </span>
      )}
      {failing_since && (
        <span>
          Failing since <Timestamp at={failing_since} withTime />
          {last_error && `: ${last_error}`}
        </span>
      )}
      {disabled_at && (
        <span>
          Switched off <Timestamp at={disabled_at} withTime />. Alerts are kept meanwhile. Repair it and send a test:
          that switches it on again and sends them.
        </span>
      )}
    </div>
  )
}
