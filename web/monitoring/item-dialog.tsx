import { Button, Group, Modal, Stack, TagsInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GroupLabels, RunVersions } from '../../worker/domain/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { showSuccess } from '../lib/notice'
import { useSession } from '../session/session'
import { FailedLine } from '../ui/failed-line'
import { groupsQuery } from '../watchlist/api'
import { setItemsMutation } from './api'
import { itemLabel, lists } from './lists'
import { useFocusBack } from '../ui/focus-back'

type Props = { list: ItemKind; item: MonitoredItem; onClose: () => void }

const split = [',', ';', '\n']

export function ItemDialog({ list, item, onClose }: Props) {
  useFocusBack()
  const { org } = useSession()
  const known = useQuery(groupsQuery)
  const [groups, setGroups] = useState(item.groups)
  const [versions, setVersions] = useState(item.versions)
  const { isPending, mutate } = useMutation(setItemsMutation)
  const { kind, hasVersions } = lists[list]
  const [labels, runs] = [GroupLabels.safeParse(groups), RunVersions.safeParse(versions)]
  const save = () =>
    mutate(
      {
        kind,
        items: [{ id: item.id, groups, ...(hasVersions && { versions }) }],
        monitored: true,
        organization_id: org?.id,
      },
      {
        onSuccess: () => {
          showSuccess('Monitoring status successfuly updated.')
          onClose()
        },
      },
    )
  return (
    <Modal opened onClose={onClose} title={itemLabel(item)} centered>
      <Stack gap="sm">
        <TagsInput
          label="Groups"
          description="Your own labels, such as dmz. Lists and alerts can be filtered by them."
          data={known.data ?? []}
          value={groups}
          onChange={setGroups}
          splitChars={split}
          error={labels.error?.issues[0]?.message}
          data-autofocus
        />
        <FailedLine text="Your groups could not be loaded." query={known} />
        {hasVersions && (
          <TagsInput
            label="Versions that you run"
            description="You are then alerted only about what affects, or may affect, one of them. Without a version, about everything."
            value={versions}
            onChange={setVersions}
            splitChars={split}
            error={runs.error?.issues[0]?.message}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isPending} disabled={!labels.success || !runs.success} onClick={save}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
