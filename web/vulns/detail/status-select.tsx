import { NativeSelect } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { vulnStatuses } from '../../../worker/domain/decisions/status'
import type { VulnStatus } from '../../../worker/domain/decisions/status'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { FailedLine } from '../../ui/failed-line'
import { openByArrows } from '../../ui/open-by-arrows'
import { statusLabels } from '../../lib/status-labels'
import { decideMutation } from '../../decisions/api'
import { statusQuery } from './api'
import { useReadOnly } from '../../session/known-org'

const isStatus = (value: string): value is VulnStatus => (vulnStatuses as readonly string[]).includes(value)

/** Selectable only when monitored (S2 §4). */
export function StatusSelect({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const query = useQuery(statusQuery(id))
  const { data } = query
  const { mutate } = useMutation(decideMutation)
  const [sending, setSending] = useState<VulnStatus>()
  const readOnly = useReadOnly()
  const send = (status: VulnStatus) => {
    setSending(status)
    mutate({ scope: 'vulnerability', ids: [id], decision: { status } }, { onSettled: () => setSending(undefined) })
  }
  // Shows the new status while it is being sent: with the old one, each further key would send again.
  const status = sending ?? (monitored && data?.status)
  if (query.error) return <FailedLine text="The status could not be loaded." query={query} />
  return (
    <NativeSelect
      size="xs"
      aria-label="Status"
      title={monitored ? readOnly.title : 'Monitor the vulnerability to give it a status'}
      aria-busy={!!sending}
      disabled={!monitored || !data || readOnly.disabled}
      value={status || 'undefined'}
      onKeyDown={openByArrows}
      // Not disabled while sending: that would take the focus from keyboard users.
      onChange={({ currentTarget: { value } }) => !sending && isStatus(value) && send(value)}
      data={vulnStatuses.map((value) => ({ value, label: statusLabels[value] }))}
    />
  )
}
