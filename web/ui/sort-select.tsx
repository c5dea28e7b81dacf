import { NativeSelect } from '@mantine/core'
import type { Column } from './column'
import classes from './data-table.module.css'

type Props<Row, Sort extends string> = {
  columns: Column<Row, Sort>[]
  sort: Sort | undefined
  onSort: (sort: Sort) => void
}

/** On a narrow screen there is no header row to sort by. */
export function SortSelect<Row, Sort extends string>({ columns, sort, onSort }: Props<Row, Sort>) {
  const orders = columns.flatMap(({ label, sort: pair, also }) => [
    ...(pair ? [{ label, sort: pair }] : []),
    ...(also ? [also] : []),
  ])
  const choices = orders.flatMap(({ label, sort: pair }) =>
    pair.map((value) => ({
      value,
      label: pair.length === 1 ? label : `${label}, ${value.startsWith('-') ? 'descending' : 'ascending'}`,
    })),
  )
  const choose = (chosen: string) => {
    const choice = choices.find(({ value }) => value === chosen)
    if (choice) onSort(choice.value)
  }
  return (
    <div className={classes.sortSelect}>
      <NativeSelect
        size="xs"
        aria-label="Sort by"
        data={
          sort && choices.every(({ value }) => value !== sort)
            ? [{ value: sort, label: 'Sort by…' }, ...choices]
            : choices
        }
        value={sort}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    </div>
  )
}
