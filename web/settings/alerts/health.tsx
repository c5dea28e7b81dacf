import { IconAlertTriangle, IconCheck, IconPlugOff } from '@tabler/icons-react'
import type { ChannelRow } from '../../../worker/alerts/channels/contract'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from './alerting.module.css'

type Props = { channel: ChannelRow }

export function ChannelMark({ channel: { is_configured, disabled_at, failing_since, last_success_at } }: Props) {
  if (disabled_at)
    return (
      <Mark tone="alarm" icon={IconPlugOff}>
        Switched off
      </Mark>
    )
  if (failing_since && is_configured)
    return (
      <Mark tone="warning" icon={IconAlertTriangle}>
        Failing
      </Mark>
    )
  if (!is_configured) return <Mark tone="quiet">Not set up</Mark>
  return last_success_at ? (
    <Mark tone="calm" icon={IconCheck}>
      Working
    </Mark>
  ) : (
    <Mark tone="quiet">Nothing sent yet</Mark>
  )
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
