import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { WriteButton } from '../session/write-button'
import { SelectedRows, type Selection } from '../ui/select-column'
import { GroupDialog } from './item-dialog'
import { showSuccess } from '../lib/notice'
import { useAccess } from '../session/access'
import { showUndo } from '../ui/undo-notice'
import { restoreListMutation, setItemsMutation } from './api'
import { lists } from './lists'

const removed = 'Monitoring status successfuly updated.'

const ignore = () => undefined

export function useRemoval(list: ItemKind) {
  const { isPending, mutateAsync } = useMutation(setItemsMutation)
  const { mutateAsync: restoreList } = useMutation(restoreListMutation)
  const mayRestoreLists = useAccess()('manageMetadata')
  const { kind, hasVersions } = lists[list]

  // Not by the callbacks of `mutate`: they end with the row that asks. Failures have notices of their own.
  const restore = (items: MonitoredItem[]) =>
    mutateAsync({
      kind,
      monitored: true,
      items: items.map(({ id, groups, versions }) => ({ id, groups, ...(hasVersions && { versions }) })),
    }).then(() => showSuccess(removed), ignore)
  const remove = (items: MonitoredItem[], onDone?: () => void) =>
    mutateAsync({ kind, monitored: false, items: items.map(({ id }) => ({ id })) }).then(({ removed_list }) => {
      // A vendor takes rows of its products along, which only the kept list brings back.
      const kept = mayRestoreLists ? removed_list : null
      showUndo(removed, () => void (kept ? restoreList(kept).catch(ignore) : restore(items)))
      onDone?.()
    }, ignore)
  return { remove, isPending }
}

type Props = Selection & { list: ItemKind; rows: MonitoredItem[] }

export function SelectedItems({ list, ...selection }: Props) {
  const { rows, chosen, onChoose } = selection
  const [isOpen, { open, close }] = useDisclosure(false)
  const { remove, isPending } = useRemoval(list)
  return (
    <>
      <SelectedRows {...selection}>
        {(items) => (
          <>
            <WriteButton size="compact-sm" loading={isPending} onClick={() => remove(items, () => onChoose(new Set()))}>
              Stop monitoring
            </WriteButton>
            <WriteButton size="compact-sm" onClick={open}>
              Group…
            </WriteButton>
          </>
        )}
      </SelectedRows>
      {isOpen && <GroupDialog list={list} items={rows.filter(({ id }) => chosen.has(id))} onClose={close} />}
    </>
  )
}
