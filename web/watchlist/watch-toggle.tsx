import { useMutation } from '@tanstack/react-query'
import { MonitoredToggle } from '../ui/monitored-chip'
import { setMonitoredMutation, type MonitoredKind } from './api'
import { useReadOnly } from '../session/known-org'

type Props = {
  kind: MonitoredKind
  item: { id: number; monitored: boolean }
  name: string
  /** Beside the name of a page, where "Yes" says too little. */
  inWords?: boolean
  isDisabled?: boolean
}

const words = ['Monitored', 'Not monitored'] as const

export function WatchToggle({ kind, item: { id, monitored }, inWords = false, isDisabled = false, name }: Props) {
  const { isPending, mutate } = useMutation(setMonitoredMutation(kind))
  return (
    <MonitoredToggle
      monitored={monitored}
      name={name}
      {...(inWords && { words })}
      isPending={isPending}
      isDisabled={isDisabled}
      readOnly={useReadOnly()}
      onToggle={() => mutate({ ids: [id], monitored: !monitored })}
    />
  )
}
