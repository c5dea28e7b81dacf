import { Button, Checkbox, Group, NativeSelect } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { vulnStatuses } from '../../../worker/domain/decisions/status'
import type { VulnRow } from '../../../worker/vulns/contract'
import { plural } from '../../lib/format'
import { useSession } from '../../session/session'
import { decideMutation } from '../../decisions/api'
import { openByArrows } from '../../ui/open-by-arrows'
import { setMonitoredMutation } from '../../watchlist/api'
import { useSelection } from './selection'
import { statusLabels } from '../../lib/status-labels'
import { useReadOnly } from '../../session/known-org'
import { LazyPart } from '../../ui/lazy-part'

const statuses = [
  { value: '', label: 'Set status…' },
  ...vulnStatuses.map((value) => ({ value, label: statusLabels[value] })),
]

const DecideDialog = lazy(() => import('../../decisions/decide-dialog').then((one) => ({ default: one.DecideDialog })))

export function SelectionBar({ rows }: { rows: VulnRow[] }) {
  const { org } = useSession()
  const readOnly = useReadOnly()
  const { ids: chosen, select } = useSelection()
  const monitor = useMutation(setMonitoredMutation('vuln'))
  const status = useMutation(decideMutation)
  const [isDeciding, setDeciding] = useState(false)
  // Choices count only for rows that are still on the page.
  const ids = rows.map(({ id }) => id).filter((id) => chosen.has(id))
  const isAll = rows.length > 0 && ids.length === rows.length
  const held = { ...readOnly, disabled: monitor.isPending || status.isPending || readOnly.disabled === true }

  const setMonitored = (monitored: boolean) => monitor.mutate({ ids, monitored, organization_id: org?.id })
  const setStatus = (value: string) => {
    const chosenStatus = vulnStatuses.find((one) => one === value)
    if (chosenStatus) status.mutate({ scope: 'vulnerability', ids, decision: { status: chosenStatus } })
  }
  return (
    <Group gap="sm" mih={30} role="group" aria-label="Selected rows">
      <Checkbox
        size="xs"
        label={ids.length ? `${ids.length} selected` : 'Select the page'}
        checked={isAll}
        indeterminate={ids.length > 0 && !isAll}
        disabled={rows.length === 0}
        onChange={() => select(isAll ? [] : rows.map(({ id }) => id))}
      />
      {ids.length > 0 && (
        <>
          <Button size="compact-sm" variant="default" {...held} onClick={() => setMonitored(true)}>
            Monitor
          </Button>
          <Button size="compact-sm" variant="default" {...held} onClick={() => setMonitored(false)}>
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
          <Button size="compact-sm" variant="default" {...held} onClick={() => setDeciding(true)}>
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
      )}
    </Group>
  )
}
