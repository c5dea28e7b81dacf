import { Button, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { vulnStatuses } from '../../../worker/domain/decisions/status'
import type { VulnRow } from '../../../worker/vulns/contract'
import { decideMutation } from '../../decisions/api'
import { plural } from '../../lib/format'
import { statusLabels } from '../../lib/status-labels'
import { useReadOnly } from '../../session/known-org'
import { LazyPart } from '../../ui/lazy-part'
import { openByArrows } from '../../ui/open-by-arrows'
import { SelectedRows } from '../../ui/select-column'
import { setMonitoredMutation } from '../../watchlist/api'
import { useSelection } from './selection'

const statuses = [
  { value: '', label: 'Set status…' },
  ...vulnStatuses.map((value) => ({ value, label: statusLabels[value] })),
]

const DecideDialog = lazy(() =>
  import('../../decisions/decide-dialog').then((file) => ({ default: file.DecideDialog })),
)

export function SelectionBar({ rows }: { rows: VulnRow[] }) {
  const { ids, select } = useSelection()
  return (
    <SelectedRows rows={rows} chosen={ids} onChoose={select}>
      {(selected) => <Actions ids={selected.map(({ id }) => id)} />}
    </SelectedRows>
  )
}

function Actions({ ids }: { ids: number[] }) {
  const readOnly = useReadOnly()
  const monitor = useMutation(setMonitoredMutation('vuln'))
  const decision = useMutation(decideMutation)
  const [isDeciding, setDeciding] = useState(false)
  const held = { ...readOnly, disabled: monitor.isPending || decision.isPending || readOnly.disabled === true }
  const setMonitored = (monitored: boolean) => monitor.mutate({ ids, monitored })
  const setStatus = (value: string) => {
    const status = vulnStatuses.find((known) => known === value)
    if (status) decision.mutate({ scope: 'vulnerability', ids, decision: { status } })
  }
  return (
    <>
      <Button size="compact-sm" {...held} onClick={() => setMonitored(true)}>
        Monitor
      </Button>
      <Button size="compact-sm" {...held} onClick={() => setMonitored(false)}>
        Stop monitoring
      </Button>
      <NativeSelect
        size="xs"
        aria-label="Status of the selected rows"
        data={statuses}
        value=""
        {...held}
        onKeyDown={openByArrows}
        onChange={({ currentTarget }) => setStatus(currentTarget.value)}
      />
      <Button size="compact-sm" {...held} onClick={() => setDeciding(true)}>
        Decide…
      </Button>
      {isDeciding && (
        <LazyPart onLost={() => setDeciding(false)}>
          <DecideDialog
            title={`Decide on ${plural(ids.length, 'vulnerability', 'vulnerabilities')}`}
            about={{ ids }}
            choice="in_progress"
            onClose={() => setDeciding(false)}
          />
        </LazyPart>
      )}
    </>
  )
}
