import { useMutation } from '@tanstack/react-query'
import { useSession } from '../session/session'
import { MonitoredToggle } from '../ui/monitored-chip'
import { setMonitoredMutation } from './api'
import type { MonitoredKind } from './api'
import { useReadOnly } from '../session/known-org'

type Props = {
  kind: MonitoredKind
  item: { id: number; monitored: boolean }
  name: string
  words?: readonly [on: string, off: string]
  isDisabled?: boolean
}

export function WatchToggle({ kind, item: { id, monitored }, isDisabled = false, ...props }: Props) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(setMonitoredMutation(kind))
  return (
    <MonitoredToggle
      monitored={monitored}
      isPending={isPending}
      isDisabled={isDisabled}
      readOnly={useReadOnly()}
      onToggle={() => mutate({ ids: [id], monitored: !monitored, organization_id: org?.id })}
      {...props}
    />
  )
}
