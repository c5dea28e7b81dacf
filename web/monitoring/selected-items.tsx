import { useDisclosure } from '@mantine/hooks'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { WriteButton } from '../session/write-button'
import { SelectedRows } from '../ui/select-column'
import type { Selection } from '../ui/select-column'
import { GroupDialog } from './group-dialog'
import { useRemoval } from './use-removal'

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
            <WriteButton
              size="compact-sm"
              variant="default"
              loading={isPending}
              onClick={() => remove(items, () => onChoose(new Set()))}
            >
              Stop monitoring
            </WriteButton>
            <WriteButton size="compact-sm" variant="default" onClick={open}>
              Group…
            </WriteButton>
          </>
        )}
      </SelectedRows>
      {isOpen && <GroupDialog list={list} items={rows.filter(({ id }) => chosen.has(id))} onClose={close} />}
    </>
  )
}
