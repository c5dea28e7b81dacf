import { Button, Checkbox, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { BulletinRow } from '../../worker/kb/bulletins/contract'
import { setBulletins } from './bulletins-api'

type Props = { rows: BulletinRow[]; selected: BulletinRow[]; onSelect: (rows: BulletinRow[]) => void }

/** What can be done with the chosen rows of the page. */
export function BulletinSelection({ rows, selected, onSelect }: Props) {
  const { isPending, mutate } = useMutation(setBulletins)
  const set = (monitored: boolean) =>
    mutate({ ids: selected.map(({ id }) => id), monitored }, { onSuccess: () => onSelect([]) })
  const isAll = rows.length > 0 && selected.length === rows.length
  return (
    <Group gap="sm" mih={30}>
      <Checkbox
        label={selected.length ? `${selected.length} selected` : 'Select the page'}
        checked={isAll}
        indeterminate={selected.length > 0 && !isAll}
        disabled={rows.length === 0}
        onChange={() => onSelect(isAll ? [] : rows)}
      />
      {selected.length > 0 && (
        <>
          <Button size="xs" variant="default" loading={isPending} onClick={() => set(true)}>
            Monitor
          </Button>
          <Button size="xs" variant="default" loading={isPending} onClick={() => set(false)}>
            Stop monitoring
          </Button>
        </>
      )}
    </Group>
  )
}
