import { Checkbox, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import type { Selection } from '../ui/select-column'
import { GroupDialog } from './group-dialog'
import { useRemoval } from './use-removal'
import { WriteButton } from '../session/write-button'

type Props = Selection & { list: ItemKind; rows: MonitoredItem[] }

export function SelectedItems({ list, rows, chosen, onChoose }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { remove, isPending } = useRemoval(list)
  // Choices count only for rows that are still on the page.
  const items = rows.filter(({ id }) => chosen.has(id))
  const isAll = rows.length > 0 && items.length === rows.length
  return (
    <Group gap="sm" mih={30} role="group" aria-label="Selected rows">
      <Checkbox
        size="xs"
        label={items.length ? `${items.length} selected` : 'Select the page'}
        checked={isAll}
        indeterminate={items.length > 0 && !isAll}
        disabled={rows.length === 0}
        onChange={() => onChoose(new Set(isAll ? [] : rows.map(({ id }) => id)))}
      />
      {items.length > 0 && (
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
      {isOpen && <GroupDialog list={list} items={items} onClose={close} />}
    </Group>
  )
}
