import { Checkbox } from '@mantine/core'
import type { ReactNode } from 'react'
import type { BulletinRow, bulletinSorts } from '../../worker/kb/bulletins/contract'
import { AppLink } from '../ui/app-link'
import type { Column, Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { When } from '../ui/when'
import { BulletinSeverity } from './bulletin-severity'
import { BulletinToggle } from './bulletin-toggle'
import classes from './bulletin.module.css'

type Field = (typeof bulletinSorts)[number]
type Sort = Field | `-${Field}`

const columns: Column<BulletinRow, Sort>[] = [
  {
    key: 'id',
    label: 'ID',
    width: 150,
    inCard: 'lead',
    cell: ({ id, publicid }) => (
      <AppLink to={`/kb/bulletins/${id}`} fw={600} underline="hover" className={classes.publicid}>
        {publicid}
      </AppLink>
    ),
  },
  {
    key: 'vendor',
    label: 'Vendor',
    width: 180,
    sort: ['vendor', '-vendor'],
    cell: ({ vendor }) => <AppLink to={`/kb/bulletins?${new URLSearchParams({ vendor })}`}>{vendor}</AppLink>,
  },
  { key: 'title', label: 'Title', inCard: 'wide', cell: ({ title }) => <span className={classes.title}>{title}</span> },
  { key: 'severity', label: 'Severity', width: 90, cell: ({ severity }) => <BulletinSeverity severity={severity} /> },
  {
    key: 'published',
    label: 'Published',
    width: 104,
    sort: ['-published', 'published'],
    cell: ({ published }) => <When at={published} />,
  },
  { key: 'monitored', label: 'Monitored', width: 96, cell: (bulletin) => <BulletinToggle bulletin={bulletin} /> },
]

type Props = {
  listing: Listing<BulletinRow>
  expected: number
  empty: ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
  /** Which rows are chosen, where rows can be chosen. */
  chosen?: ReadonlySet<number>
  onChoose?: (chosen: ReadonlySet<number>) => void
}

const none: ReadonlySet<number> = new Set()

export function BulletinTable({ chosen = none, onChoose, ...props }: Props) {
  const toggle = (id: number) =>
    onChoose?.(chosen.has(id) ? new Set([...chosen].filter((one) => one !== id)) : new Set([...chosen, id]))
  return (
    <DataTable
      label="Bulletins"
      columns={onChoose ? [selectColumn(chosen, toggle), ...columns] : columns}
      href={({ id }) => `/kb/bulletins/${id}`}
      failed="unable to get bulletins"
      {...props}
    />
  )
}

const selectColumn = (chosen: ReadonlySet<number>, onToggle: (id: number) => void): Column<BulletinRow, Sort> => ({
  key: 'select',
  label: 'Select',
  width: 56,
  cell: ({ id, publicid }) => (
    <Checkbox aria-label={`Select ${publicid}`} checked={chosen.has(id)} onChange={() => onToggle(id)} />
  ),
})
