import type { ReactNode } from 'react'
import type { BulletinRow, bulletinSorts } from '../../../worker/kb/bulletins/contract'
import { AppLink } from '../../ui/app-link'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Timestamp } from '../../ui/timestamp'
import { selectColumn } from '../../ui/select-column'
import type { Selection } from '../../ui/select-column'
import { monitoredColumn } from '../columns'
import { BulletinSeverity } from './bulletin-severity'
import classes from './bulletin.module.css'

type Field = (typeof bulletinSorts)[number]
type Sort = Field | `-${Field}`

const columns: Column<BulletinRow, Sort>[] = [
  {
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
    label: 'Vendor',
    width: 180,
    sort: ['vendor', '-vendor'],
    cell: ({ vendor }) => <AppLink to={`/kb/bulletins?${new URLSearchParams({ vendor })}`}>{vendor}</AppLink>,
  },
  { label: 'Title', inCard: 'wide', cell: ({ title }) => <span className={classes.title}>{title}</span> },
  { label: 'Severity', width: 90, cell: ({ severity }) => <BulletinSeverity severity={severity} /> },
  {
    label: 'Published',
    width: 104,
    sort: ['-published', 'published'],
    cell: ({ published }) => <Timestamp at={published} />,
  },
  { ...monitoredColumn('bulletin', ({ publicid }) => publicid), sort: undefined, also: undefined, width: 96 },
]

type Props = {
  listing: Listing<BulletinRow>
  expected: number
  empty: ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
  selection?: Selection
}

export function BulletinTable({ selection, ...props }: Props) {
  return (
    <DataTable
      label="Bulletins"
      columns={selection ? [selectColumn(selection, ({ publicid }: BulletinRow) => publicid), ...columns] : columns}
      href={({ id }) => `/kb/bulletins/${id}`}
      failed="unable to get bulletins"
      {...props}
    />
  )
}
