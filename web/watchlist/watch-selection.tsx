import { Checkbox, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSession } from '../session/session'
import { setMonitoredMutation } from './api'
import type { MonitoredKind } from './api'
import { WriteButton } from '../session/write-button'

type Props = {
  kind: MonitoredKind
  ids: number[]
  selected: number[]
  onSelect: (ids: number[]) => void
}

export function WatchSelection({ kind, ids, selected, onSelect }: Props) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(setMonitoredMutation(kind))
  const set = (monitored: boolean) =>
    mutate({ ids: selected, monitored, organization_id: org?.id }, { onSuccess: () => onSelect([]) })
  const isWhole = ids.length > 0 && selected.length === ids.length
  return (
    <Group gap="sm" mih={30}>
      <Checkbox
        label={selected.length ? `${selected.length} selected` : 'Select the page'}
        checked={isWhole}
        indeterminate={selected.length > 0 && !isWhole}
        disabled={ids.length === 0}
        onChange={() => onSelect(isWhole ? [] : ids)}
      />
      {selected.length > 0 && (
        <>
          <WriteButton size="xs" variant="default" loading={isPending} onClick={() => set(true)}>
            Monitor
          </WriteButton>
          <WriteButton size="xs" variant="default" loading={isPending} onClick={() => set(false)}>
            Stop monitoring
          </WriteButton>
        </>
      )}
    </Group>
  )
}
