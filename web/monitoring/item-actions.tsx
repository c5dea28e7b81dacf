import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { IconEyeOff, IconPencil } from '@tabler/icons-react'
import { useDisclosure } from '@mantine/hooks'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { ViewButton } from '../ui/view-button'
import { ItemDialog } from './item-dialog'
import { itemLabel, lists } from './lists'
import { useRemoval } from './use-removal'

export function ItemActions({ list, item }: { list: ItemKind; item: MonitoredItem }) {
  const [isOpen, { open, close }] = useDisclosure(false)
  const { remove, isPending } = useRemoval(list)
  const { view, hasVersions } = lists[list]
  const label = itemLabel(item)
  const edit = hasVersions ? `Groups and versions of ${label}` : `Groups of ${label}`
  return (
    <Group gap={4} wrap="nowrap">
      <ViewButton to={`${view}/${item.id}`} name={label} />
      <Tooltip label={edit}>
        <ActionIcon variant="subtle" color="gray" aria-label={edit} onClick={open}>
          <IconPencil size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={`Stop monitoring ${label}`}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Stop monitoring ${label}`}
          loading={isPending}
          onClick={() => remove([item])}
        >
          <IconEyeOff size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {isOpen && <ItemDialog list={list} item={item} onClose={close} />}
    </Group>
  )
}
