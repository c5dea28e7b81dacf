import { useMutation } from '@tanstack/react-query'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { showSuccess } from '../lib/notice'
import { useSession } from '../session/session'
import { showUndo } from '../ui/undo-notice'
import { setItemsMutation } from './api'
import { lists } from './lists'

const removed = 'Monitoring status successfuly updated.'

export function useRemoval(list: ItemKind) {
  const { org } = useSession()
  const { isPending, mutate } = useMutation(setItemsMutation)
  const { kind, hasVersions } = lists[list]
  const whole = { kind, organization_id: org?.id }

  const restore = (items: MonitoredItem[]) =>
    mutate(
      {
        ...whole,
        monitored: true,
        items: items.map(({ id, groups, versions }) => ({ id, groups, ...(hasVersions && { versions }) })),
      },
      { onSuccess: () => showSuccess(removed) },
    )
  const remove = (items: MonitoredItem[], onDone?: () => void) =>
    mutate(
      { ...whole, monitored: false, items: items.map(({ id }) => ({ id })) },
      {
        onSuccess: () => {
          showUndo(removed, () => restore(items))
          onDone?.()
        },
      },
    )
  return { remove, isPending }
}
