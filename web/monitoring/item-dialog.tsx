import { TagsInput } from '@mantine/core'
import { useState } from 'react'
import { GroupLabels, RunVersions } from '../../worker/domain/names/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { showSuccess } from '../lib/notice'
import { useSession } from '../session/session'
import { ExposureSelect } from '../watchlist/exposure-select'
import { editItemMutation } from './api'
import { GroupsField, splitChars } from './groups-field'
import { itemLabel, lists } from './lists'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'

type Props = { list: ItemKind; item: MonitoredItem; onClose: () => void }

export function ItemDialog({ list, item, onClose }: Props) {
  const { org } = useSession()
  const [groups, setGroups] = useState(item.groups)
  const [versions, setVersions] = useState(item.versions)
  const [exposed, setExposed] = useState(item.publicly_exposed)
  const { isPending, save } = useSaving(editItemMutation, () => {
    showSuccess('Monitoring status successfuly updated.')
    onClose()
  })
  const { kind, hasVersions } = lists[list]
  const [labels, runs] = [GroupLabels.safeParse(groups), RunVersions.safeParse(versions)]
  const items = [{ id: item.id, groups, ...(hasVersions && { versions }) }]
  return (
    <FormDialog
      title={itemLabel(item)}
      isPending={isPending}
      isReady={labels.success && runs.success}
      onSubmit={() =>
        save({
          change: { kind, items, monitored: true, organization_id: org?.id },
          exposed: exposed === item.publicly_exposed ? undefined : { kind, ids: [item.id], publicly_exposed: exposed },
        })
      }
      onClose={onClose}
    >
      <GroupsField
        description="Your own labels, such as dmz. Lists and alerts can be filtered by them."
        value={groups}
        onChange={setGroups}
        error={labels.error?.issues[0]?.message}
      />
      {hasVersions && (
        <TagsInput
          label="Versions that you run"
          description="You are then alerted only about what affects, or may affect, one of them. Without a version, about everything."
          value={versions}
          onChange={setVersions}
          splitChars={splitChars}
          // There is nothing to choose from: an open list, which nobody sees, would take the Escape key.
          dropdownOpened={false}
          error={runs.error?.issues[0]?.message}
        />
      )}
      {kind !== 'vuln' && (
        <ExposureSelect
          description="Whether the public reaches it without a login of yours. Due dates follow; while it is not known, its groups tell."
          value={exposed}
          onChange={setExposed}
        />
      )}
    </FormDialog>
  )
}
