import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { statusQuery } from './api'

const ReasonDialog = lazy(() => import('./reason-dialog').then((one) => ({ default: one.ReasonDialog })))

export function StatusReason({ vuln: { id, monitored } }: { vuln: VulnDetail }) {
  const { data } = useQuery(statusQuery(id))
  const [isOpen, setIsOpen] = useState(false)
  if (!monitored || !data || data.status === 'undefined') return null
  const { justification, note, owner, expires_at } = data
  const hasReason = Boolean(justification ?? note ?? owner ?? expires_at)
  return (
    <>
      <Button variant="default" size="xs" onClick={() => setIsOpen(true)}>
        {hasReason ? (owner ?? 'Reason') : 'Add a reason'}
      </Button>
      {isOpen && (
        <Suspense>
          <ReasonDialog id={id} stated={data} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
