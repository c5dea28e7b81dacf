import { useMutation } from '@tanstack/react-query'
import type { VulnRow } from '../../../worker/vulns/contract'
import { useSession } from '../../session/session'
import { MonitoredToggle } from '../../ui/monitored-chip'
import { setListedMonitoredMutation } from '../api'

export function MonitorCell({ vuln: { id, cveid, monitored } }: { vuln: VulnRow }) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(setListedMonitoredMutation)
  return (
    <MonitoredToggle
      monitored={monitored}
      name={cveid ?? `PH-${id}`}
      isPending={isPending}
      onToggle={() => mutate({ id, monitored: !monitored, organization_id: org?.id })}
    />
  )
}
