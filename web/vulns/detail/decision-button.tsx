import { useMutation, useQuery } from '@tanstack/react-query'
import { IconCheck, IconEyePlus } from '@tabler/icons-react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { statusLabels } from '../../lib/status-labels'
import { useSession } from '../../session/session'
import { FailedLine } from '../../ui/failed-line'
import { Mark } from '../../ui/mark'
import { setMonitoredMutation } from '../../watchlist/api'
import { decideMutation } from '../../decisions/api'
import { statusQuery } from './api'
import { WriteButton } from '../../session/write-button'

export function DecisionButton({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const { org } = useSession()
  const query = useQuery(statusQuery(id))
  const { data } = query
  const monitor = useMutation(setMonitoredMutation('vuln'))
  const status = useMutation(decideMutation)
  if (!monitored)
    return (
      <WriteButton
        size="xs"
        loading={monitor.isPending}
        leftSection={<IconEyePlus size={16} aria-hidden />}
        onClick={() => monitor.mutate({ ids: [id], monitored: true, organization_id: org?.id })}
      >
        Monitor
      </WriteButton>
    )
  if (query.error) return <FailedLine text="The status could not be loaded." query={query} />
  if (!data) return null
  const step = data.status === 'undefined' ? acknowledge : data.status === 'in_progress' ? finish : undefined
  if (!step) return <Mark tone="calm">{statusLabels[data.status]}</Mark>
  return (
    <WriteButton
      size="xs"
      loading={status.isPending}
      leftSection={<IconCheck size={16} aria-hidden />}
      onClick={() => status.mutate({ scope: 'vulnerability', ids: [id], decision: { status: step.status } })}
    >
      {step.label}
    </WriteButton>
  )
}

const acknowledge = { label: 'Acknowledge', status: 'in_progress' } as const
const finish = { label: 'Mark as fixed', status: 'fixed' } as const
