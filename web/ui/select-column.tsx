import { Checkbox, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Column } from './column'

export type Selection = { chosen: ReadonlySet<number>; onChoose: (chosen: ReadonlySet<number>) => void }

export function selectColumn<Row extends { id: number }>(
  { chosen, onChoose }: Selection,
  label: (row: Row) => string,
): Column<Row> {
  const toggle = (id: number) =>
    onChoose(chosen.has(id) ? new Set([...chosen].filter((other) => other !== id)) : new Set([...chosen, id]))
  return {
    label: 'Select',
    width: 56,
    cell: (row) => (
      <Checkbox aria-label={`Select ${label(row)}`} checked={chosen.has(row.id)} onChange={() => toggle(row.id)} />
    ),
  }
}

type BarProps<Row> = Selection & { rows: Row[] | undefined; children: (selected: Row[]) => ReactNode }

/** Selects the page, and offers what can be done with the chosen rows that are still on it. */
export function SelectedRows<Row extends { id: number }>({ rows = [], chosen, onChoose, children }: BarProps<Row>) {
  const selected = rows.filter(({ id }) => chosen.has(id))
  const isWhole = rows.length > 0 && selected.length === rows.length
  return (
    <Group gap="sm" mih={30} role="group" aria-label="Selected rows">
      <Checkbox
        size="xs"
        label={selected.length ? `${selected.length} selected` : 'Select the page'}
        checked={isWhole}
        indeterminate={selected.length > 0 && !isWhole}
        disabled={rows.length === 0}
        onChange={() => onChoose(new Set(isWhole ? [] : rows.map(({ id }) => id)))}
      />
      {selected.length > 0 && children(selected)}
    </Group>
  )
}
