import { useMutation } from '@tanstack/react-query'
import { WriteButton } from '../session/write-button'
import { SelectedRows, type Selection } from '../ui/select-column'
import { setMonitoredMutation, type MonitoredKind } from './api'

type Props = Selection & { kind: MonitoredKind; rows: { id: number }[] | undefined }

export function WatchSelection({ kind, ...selection }: Props) {
  const { isPending, mutate } = useMutation(setMonitoredMutation(kind))
  const set = (rows: { id: number }[], monitored: boolean) =>
    mutate({ ids: rows.map(({ id }) => id), monitored }, { onSuccess: () => selection.onChoose(new Set()) })
  return (
    <SelectedRows {...selection}>
      {(rows) => (
        <>
          <WriteButton size="xs" loading={isPending} onClick={() => set(rows, true)}>
            Monitor
          </WriteButton>
          <WriteButton size="xs" loading={isPending} onClick={() => set(rows, false)}>
            Stop monitoring
          </WriteButton>
        </>
      )}
    </SelectedRows>
  )
}
