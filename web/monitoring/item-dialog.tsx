import { Button, TagsInput } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { GroupLabels, RunVersions } from '../../worker/domain/names/watch-item'
import type { ItemKind, MonitoredItem } from '../../worker/monitoring/contract'
import { showSuccess } from '../lib/notice'
import { ExposureSelect } from '../watchlist/exposure-select'
import { editItemMutation, setItemsMutation } from './api'
import { itemLabel, lists } from './lists'
import { useSaving } from '../lib/saving'
import { FormDialog } from '../ui/form-dialog'
import { plural } from '../lib/format'
import { groupsQuery } from '../watchlist/api'
import { FailedLine } from '../ui/failed-line'

type GroupsFieldProps = {
  description: string
  value: string[]
  onChange: (groups: string[]) => void
  error: string | undefined
}

/** The list of known groups opens by a click, an arrow key or a letter: with the dialog it would take its Escape key. */
function GroupsField({ value, ...field }: GroupsFieldProps) {
  const known = useQuery(groupsQuery)
  const [isAsked, setAsked] = useState(false)
  const [text, setText] = useState('')
  const isOffered = (group: string) => !value.includes(group) && group.toLowerCase().includes(text.trim().toLowerCase())
  return (
    <>
      <TagsInput
        label="Groups"
        data={known.data ?? []}
        value={value}
        splitChars={splitChars}
        searchValue={text}
        onSearchChange={(typed) => {
          setText(typed)
          if (typed) setAsked(true)
        }}
        openOnFocus={false}
        dropdownOpened={isAsked && (known.data ?? []).some(isOffered)}
        onDropdownOpen={() => setAsked(true)}
        onDropdownClose={() => setAsked(false)}
        onClick={() => setAsked(true)}
        // Opens upwards: below the field the choices would cover the buttons.
        comboboxProps={{ position: 'top-start' }}
        data-autofocus
        {...field}
      />
      <FailedLine text="Your groups could not be loaded." query={known} />
    </>
  )
}

const splitChars = [',', ';', '\n']

type Props = { list: ItemKind; item: MonitoredItem; onClose: () => void }

export function ItemDialog({ list, item, onClose }: Props) {
  const [groups, setGroups] = useState(item.groups)
  const [versions, setVersions] = useState(item.versions)
  const [exposed, setExposed] = useState(item.publicly_exposed)
  const { isPending, save } = useSaving(editItemMutation, onClose)
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
          kind,
          items,
          monitored: true,
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

type GroupDialogProps = { list: ItemKind; items: MonitoredItem[]; onClose: () => void }

export function GroupDialog({ list, items, onClose }: GroupDialogProps) {
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
    save({ kind, items: changed, monitored: true })
  }
  return (
    <FormDialog
      title={`Groups of ${plural(items.length, one, many)}`}
      action="Add to groups"
      isPending={isPending}
      isReady={isReady}
      also={
        <Button disabled={!isReady} loading={isPending} onClick={() => send(without)}>
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
