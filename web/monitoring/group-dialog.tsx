import { Button, Group, Modal, Stack, TagsInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GroupLabels } from '../../worker/domain/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { plural } from '../lib/format'
import { showSuccess } from '../lib/notice'
import { useSession } from '../session/session'
import { FailedLine } from '../ui/failed-line'
import { groupsQuery } from '../watchlist/api'
import { setItemsMutation } from './api'
import { lists } from './lists'
import { useFocusBack } from '../ui/focus-back'

type Props = { list: ItemKind; items: MonitoredItem[]; onClose: () => void }

export function GroupDialog({ list, items, onClose }: Props) {
  useFocusBack()
  const { org } = useSession()
  const known = useQuery(groupsQuery)
  const [labels, setLabels] = useState<string[]>([])
  const { isPending, mutate } = useMutation(setItemsMutation)
  const { kind, one, many } = lists[list]
  const parsed = GroupLabels.safeParse(labels)
  const save = (change: (groups: string[], chosen: string[]) => string[]) => {
    if (!parsed.success) return
    const changed = items.map(({ id, groups }) => ({ id, groups: change(groups, parsed.data) }))
    mutate(
      { kind, items: changed, monitored: true, organization_id: org?.id },
      {
        onSuccess: () => {
          showSuccess('Monitoring status successfuly updated.')
          onClose()
        },
      },
    )
  }
  const isReady = parsed.success && labels.length > 0
  return (
    <Modal opened onClose={onClose} title={`Groups of ${plural(items.length, one, many)}`} centered>
      <Stack gap="sm">
        <TagsInput
          label="Groups"
          description="Choose a label, or write a new one and press Enter"
          data={known.data ?? []}
          value={labels}
          onChange={setLabels}
          error={parsed.error?.issues[0]?.message}
          // Opens upwards: below the field the choices would cover the buttons.
          comboboxProps={{ position: 'top-start' }}
          data-autofocus
        />
        <FailedLine text="Your groups could not be loaded." query={known} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button variant="default" disabled={!isReady} loading={isPending} onClick={() => save(without)}>
            Remove from groups
          </Button>
          <Button disabled={!isReady} loading={isPending} onClick={() => save(union)}>
            Add to groups
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

const union = (groups: string[], chosen: string[]) => [...new Set([...groups, ...chosen])]
const without = (groups: string[], chosen: string[]) => groups.filter((group) => !chosen.includes(group))
