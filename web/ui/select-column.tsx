import { Checkbox } from '@mantine/core'
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
