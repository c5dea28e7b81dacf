import { NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { vulnStatuses } from '../../worker/domain/status'
import type { VulnStatus } from '../../worker/domain/status'
import type { VulnDetail } from '../../worker/vulns/contract'
import { statusLabels } from './status-labels'
import { setVulnStatus, statusQuery } from './triage-api'

const isStatus = (value: string): value is VulnStatus => (vulnStatuses as readonly string[]).includes(value)

/** Selectable only when monitored (S2 §4). */
export function StatusSelect({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const { data } = useQuery(statusQuery(id))
  const { isPending, mutate } = useMutation(setVulnStatus)
  return (
    <NativeSelect
      size="xs"
      aria-label="Status"
      title={monitored ? undefined : 'Monitor the vulnerability to give it a status'}
      aria-busy={isPending}
      disabled={!monitored || !data}
      value={(monitored && data?.status) || 'undefined'}
      // Disabled while it is sent, it would lose the focus of whoever works by keyboard.
      onChange={({ currentTarget: { value } }) => !isPending && isStatus(value) && mutate({ id, status: value })}
      data={vulnStatuses.map((value) => ({ value, label: statusLabels[value] }))}
    />
  )
}
