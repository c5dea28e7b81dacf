import { Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconArrowsSort } from '@tabler/icons-react'
import type { Column, Orders } from './column'
import classes from './data-table.module.css'

type Props<Row, Sort extends string> = {
  column: Column<Row, Sort>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

export function SortHeader<Row, Sort extends string>({ column, sort, onSort }: Props<Row, Sort>) {
  const { label, width, sort: choices, also } = column
  if (!choices || !onSort)
    return (
      <Table.Th role="columnheader" w={width}>
        {label}
      </Table.Th>
    )

  const orders = [{ label, sort: choices }, ...(also ? [also] : [])]
  const active = orders.find(({ sort: pair }) => sort !== undefined && pair.includes(sort))
  return (
    <Table.Th
      role="columnheader"
      aria-label={also ? label : undefined}
      w={width}
      aria-sort={active && describeOrder(active.sort, sort)}
    >
      {orders.map((order) => (
        <SortButton key={order.label} label={order.label} choices={order.sort} sort={sort} onSort={onSort} />
      ))}
    </Table.Th>
  )
}

const describeOrder = <Sort extends string>({ length }: Orders<Sort>, sort: Sort | undefined) =>
  length === 1 ? 'other' : sort?.startsWith('-') ? 'descending' : 'ascending'

type ButtonProps<Sort extends string> = {
  label: string
  choices: Orders<Sort>
  sort: Sort | undefined
  onSort: (sort: Sort) => void
}

function SortButton<Sort extends string>({ label, choices: [first, second = first], sort, onSort }: ButtonProps<Sort>) {
  const isActive = sort === first || sort === second
  const Icon = isActive ? (sort.startsWith('-') || first === second ? IconArrowDown : IconArrowUp) : IconArrowsSort
  return (
    <UnstyledButton
      className={classes.sort}
      fz="inherit"
      data-active={isActive || undefined}
      onClick={() => onSort(sort === first ? second : first)}
    >
      {label}
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  )
}
