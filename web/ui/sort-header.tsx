import { Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react'
import type { Column } from './column'
import classes from './data-table.module.css'

type Props<Row, Sort extends string> = {
  column: Column<Row, Sort>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

export function SortHeader<Row, Sort extends string>({ column, sort, onSort }: Props<Row, Sort>) {
  const { label, width, sort: choices } = column
  if (!choices || !onSort)
    return (
      <Table.Th role="columnheader" w={width}>
        {label}
      </Table.Th>
    )

  const [first, second] = choices
  const isActive = sort === first || sort === second
  const isDescending = sort?.startsWith('-')
  const Icon = isActive ? (isDescending ? IconArrowDown : IconArrowUp) : IconArrowsSort
  return (
    <Table.Th
      role="columnheader"
      w={width}
      aria-sort={isActive ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <UnstyledButton
        className={classes.sort}
        fz="inherit"
        data-active={isActive || undefined}
        onClick={() => onSort(sort === first ? second : first)}
      >
        {label}
        <Icon size={14} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  )
}
