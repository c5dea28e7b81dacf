import { Button } from '@mantine/core'
import { useState } from 'react'
import { GroupLabels } from '../../worker/domain/names/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { plural } from '../lib/format'
import { showSuccess } from '../lib/notice'
import { useSession } from '../session/session'
import { setItemsMutation } from './api'
import { GroupsField } from './groups-field'
import { lists } from './lists'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'

type Props = { list: ItemKind; items: MonitoredItem[]; onClose: () => void }

export function GroupDialog({ list, items, onClose }: Props) {
  const { org } = useSession()
  const [labels, setLabels] = useState<string[]>([])
  const { isPending, save } = useSaving(setItemsMutation, () => {
    showSuccess('Monitoring status successfuly updated.')
    onClose()
  })
  const { kind, one, many } = lists[list]
  const parsed = GroupLabels.safeParse(labels)
  const isReady = parsed.success && labels.length > 0
  const send = (change: (groups: string[], chosen: string[]) => string[]) => {
    if (!isReady) return
    const changed = items.map(({ id, groups }) => ({ id, groups: change(groups, parsed.data) }))
    save({ kind, items: changed, monitored: true, organization_id: org?.id })
  }
  return (
    <FormDialog
      title={`Groups of ${plural(items.length, one, many)}`}
      action="Add to groups"
      isPending={isPending}
      isReady={isReady}
      also={
        <Button variant="default" disabled={!isReady} loading={isPending} onClick={() => send(without)}>
          Remove from groups
        </Button>
      }
      onSubmit={() => send(union)}
      onClose={onClose}
    >
      <GroupsField
        description="Choose a label, or write a new one and press Enter"
        value={labels}
        onChange={setLabels}
        error={parsed.error?.issues[0]?.message}
      />
    </FormDialog>
  )
}

const union = (groups: string[], chosen: string[]) => [...new Set([...groups, ...chosen])]
const without = (groups: string[], chosen: string[]) => groups.filter((group) => !chosen.includes(group))
